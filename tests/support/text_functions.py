"""The functions of the service that take text which a client wrote: all of them, in one list.

`tests/test_hostile_texts.py` runs the list over the hostile texts, and fails when a function with a
parameter called `text`, `html` or `body` is in none of the lists below.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec

from stoa.a2a import messages
from stoa.domain import (
    attributions,
    base64url,
    credentials,
    excerpts,
    ids,
    keys,
    labels,
    markdown,
    querylang,
    related,
    snippets,
    text,
    token_counts,
    tokens,
    watches,
    wishes,
    wordforms,
    words,
)
from stoa.domain.addresses import bucket_key
from stoa.domain.cursors import CursorFormat
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal
from stoa.domain.snippets import Sought
from stoa.rendering import colours, fences, html, lines, parts, signs, tags
from stoa.schemas import artifact_texts
from stoa.schemas.base import encode, read_time
from stoa.schemas.threads import CreateThread
from stoa.schemas.validation import Shape, parse
from stoa.shortcuts import tool_results
from stoa.store import consistency
from stoa.web import markdown as markdown_pages

TERMS = (*(f"zebrafish{number}" for number in range(31)), "zebrafish")

Function = Callable[[str], object]


def refusing(function: Function) -> Function:
    """The function without what it raises to refuse a text."""

    def run(given: str) -> None:
        with suppress(ValueError, Refusal):
            function(given)

    return run


def _thread(given: str) -> object:
    """A thread with the text in each of its fields."""
    return parse(CreateThread, {"title": given, "body": given, "tags": [given]})


FUNCTIONS: dict[str, Function] = {
    "a2a/messages.title_of": messages.title_of,
    "schemas/artifact_texts.measured": artifact_texts.measured,
    "domain/excerpts.excerpt": lambda given: excerpts.excerpt(given, len(given) - 1),
    "domain/token_counts.estimate": token_counts.estimate,
    "domain/text.is_blank": text.is_blank,
    "domain/wishes.words_of": wishes.words_of,
    "domain/text.check_label": refusing(text.check_label),
    "domain/text.display_name": refusing(text.display_name),
    "domain/text.normalise_tag": refusing(text.normalise_tag),
    "domain/text.wanted_tag": refusing(text.wanted_tag),
    "domain/text.normalise_capability": text.normalise_capability,
    "domain/text.escape_invisible": text.escape_invisible,
    "domain/text.one_line": text.one_line,
    "domain/markdown.escape_inline": markdown.escape_inline,
    "domain/tokens.find_in": tokens.find_in,
    "domain/credentials.find_in": credentials.find_in,
    "domain/tokens.well_formed": tokens.well_formed,
    "domain/digests.digest_of": digest_of,
    "domain/base64url.decode": refusing(base64url.decode),
    "domain/ids.is_id": lambda given: ids.is_id("th", given),
    "domain/ids.prefix_of": ids.prefix_of,
    "domain/related.described": lambda given: related.described(given, [given], given, [given]),
    "domain/keys.parse_public_key": refusing(keys.parse_public_key),
    "domain/keys.parse_signature": refusing(keys.parse_signature),
    "domain/keys.read_public_key": refusing(keys.read_public_key),
    "domain/cursors.decode": refusing(lambda given: CursorFormat("a", (str,)).decode(given)),
    "domain/addresses.bucket_key": bucket_key,
    "domain/watches.mentions": watches.mentions,
    "domain/attributions.without_attribution": attributions.without_attribution,
    "domain/querylang.parse": refusing(querylang.parse),
    "domain/words.words": words.words,
    "domain/words.runs": lambda given: [*words.runs(given)],
    "domain/words.composed": words.composed,
    "domain/words.folded": words.folded,
    "domain/words.placed": words.placed,
    "domain/snippets.prepared": snippets.prepared,
    "domain/snippets.snippet": lambda given: snippets.snippet(
        snippets.prepared(given), Sought(TERMS, frozenset(TERMS))
    ),
    "domain/wordforms.other_forms": wordforms.other_forms,
    "domain/labels.offered_words": lambda text: list(labels.offered_words(text)),
    "store/consistency.named": refusing(consistency.named),
    "store/consistency.covers": lambda given: consistency.covers(given, "ag_", 0),
    "schemas/validation.read": lambda given: [shape.read(given) for shape in Shape],
    "schemas/validation.parse": refusing(_thread),
    "rendering/colours.coloured": lambda given: colours.coloured(given, "python"),
    "rendering/html.render": partial(html.render, top=3),
    "rendering/html.plain": html.plain,
    "rendering/parts.parts": parts.parts,
    "rendering/signs.prepared": signs.prepared,
    "rendering/tags.allowed_tags": partial(tags.allowed_tags, top=3),
    "rendering/lines.gist": lines.gist,
    "rendering/lines.html_bytes": lines.html_bytes,
    "rendering/lines.fitted": lines.fitted,
    "rendering/lines.coded": lines.coded,
    "rendering/lines._plainly": lines._plainly,  # pyright: ignore[reportPrivateUsage]
    "rendering/fences.fenced": fences.fenced,
    "web/markdown._safe": markdown_pages._safe,  # pyright: ignore[reportPrivateUsage]
    "web/markdown._plain": markdown_pages._plain,  # pyright: ignore[reportPrivateUsage]
    "web/markdown._code": markdown_pages._code,  # pyright: ignore[reportPrivateUsage]
    "rendering/lines.marked": lambda given: lines.marked(given[:240], "zebrafish a"),
    "shortcuts/tool_results.as_text": lambda given: tool_results.as_text(given.encode()),
    "schemas/base.read_time": read_time,
    "schemas/base.encode": lambda given: encode({"body": given}),
    "json": lambda given: msgspec.json.decode(msgspec.json.encode(given)),
}

WITHIN = {
    "search/finding._spaced": "domain/words.words",
    "search/similar._forms": "domain/words.words, of a title and the words of a body",
    "domain/signed.checked": "json, of parts of a text of bounded length",
    "store/agents.words_of": "domain/words.words, of a name and a description, or of a short query",
    "search/similar.similar": "domain/words.words; of each word a bounded number of texts is read",
    "operations/parts/posting.reply_row": "keeps the text as it is",
    "store/additions.add": "stores the text as it is",
    "domain/assertions.parts": "an assertion has at most 4096 characters",
    "domain/authorizations.read_confirmation": "a confirmation is typed with at most 24 characters",
    "domain/authorizations.read_pairing_code": "a pairing code is typed with at most 32 characters",
    "domain/clients._bytes": "a client id has at most 8000 characters",
    "domain/challenges._decode": "a challenge has at most 500 characters",
    "domain/ids._decode": "an id has 26 characters",
    "domain/ids.made_at": "an id has 26 characters",
    "domain/key_changes.check_signature": "a challenge has at most 500 characters",
    "domain/cursors._read": "domain/cursors.decode",
    "domain/cursors.reads": "domain/cursors.decode",
    "domain/addresses._host": "domain/addresses.bucket_key",
    "domain/addresses._parsed": "domain/addresses.bucket_key",
    "domain/watches._own_lines": "domain/watches.mentions",
    "domain/snippets._stretch": "domain/snippets.prepared",
    "domain/snippets._plain_cut": "domain/snippets.snippet",
    "domain/snippets._any_cut": "domain/snippets.snippet",
    "mcp/calls._listed": "json",
    "mcp/research._with_additions": "str.join: it puts the text as it is before others",
    "a2a/messages._said": "a2a/messages.title_of",
    "a2a/messages._offer": "kept as it was sent",
    "a2a/messages._decision": "kept as it was sent",
    "upkeep/receivers._unix_ms": "a header of an answer, whose head is bounded",
    "schemas/search._time": "schemas/base.read_time",
    "rendering/html._formatted": "rendering/html.render",
    "rendering/signs._without_html": "rendering/signs.prepared",
    "rendering/signs.restored": "rendering/html.render",
    "rendering/html._from_markdown": "rendering/html.render",
    "rendering/parts.end_near": "rendering/parts.parts",
    "rendering/parts._fence_left_open": "rendering/parts.parts",
    "web/texts.written": "keeps the text as it is",
    "rendering/bodies.may_fit": "looks at the length",
    "rendering/bodies.whole": "rendering/html.render",
    "rendering/bodies.beside": "rendering/html.render",
    "rendering/bodies.beginning": "rendering/html.render",
    "web/syndication._add": "domain/text.escape_invisible",
    "http/reading._is_broken": "json",
    "domain/related._words": "domain/related.described",
    "operations/opportunities._cut": "its first 500 characters",
    "store/threads.insert": "kept as it was sent",
    "domain/challenges.check": "domain/digests.digest_of",
}
"""Functions that only pass a text on, with the one that works on it or with what bounds it."""

NOT_OF_CLIENTS = {
    "openapi/document._first_sentence", "domain/wishes._words", "configuration._add_variable",
    "settings_checks._address", "settings_checks._base_url",
    "store/statements.parse", "store/statements._expand", "store/statements._pieces",
    "configuration._of_kubernetes",
    "domain/errors.filled", "domain/errors._unpickled", "web/markdown.coded",
    "schemas/job_examples._written", "schemas/terms.read_terms",
    "web/manual/render.render",
}  # fmt: skip
"""Functions whose texts come from the operator or from the service itself."""
