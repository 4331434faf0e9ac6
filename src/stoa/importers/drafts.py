"""Turns a Stack Exchange post into one that the API takes, and notes the changes."""

import re
from dataclasses import dataclass
from typing import Any

from stoa.domain import limits
from stoa.domain.text import is_blank
from stoa.importers.attribution import Attribution
from stoa.importers.markdown import markdown
from stoa.importers.posts_xml import Attributes

EMPTY_BODY = "empty body"
NO_TITLE = "question without a title"

CHARACTERS_LEFT_OUT = "characters that XML does not allow left out"
TITLE_CLEANED = "control or direction characters left out of the title"
TITLE_CUT = f"title cut to {limits.TITLE_CHARS} characters"
BODY_CUT = f"body cut to {limits.BODY_CHARS:,} characters"
TAGS_CHANGED = "tags left out or cut"

_CUT_TITLE_END = "… [cut]"
_CUT_BODY_END = "\n\n*[Cut by the import: the original has {length:,} characters.]*"
_CLOSE_FENCE = "\n```"

_SPACES = re.compile(r"[\t\n\v\f\r\x85]+")
# Control characters, direction overrides and the tag block, which short labels refuse.
_REFUSED = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_SCORE = re.compile("-?[0-9]{1,9}")
_TAG_BOUNDARY = re.compile("[<>|]+")


class Unusable(Exception):
    """The post cannot be played; the message is the reason that the summary gives."""


@dataclass(frozen=True, slots=True)
class PostDraft:
    """What is sent. `title` and `tags` are empty for an answer; `changes` are for the summary, and
    `left_out` is how many characters of the row are not in it. `score` is what the
    post had on its site, if the row says so."""

    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    left_out: int = 0
    score: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The draft as the API takes it."""
        if self.title:
            return {"title": self.title, "body": self.body, "tags": list(self.tags)}
        return {"body": self.body} if self.body else {}


def label(text: str) -> str:
    """`text` on one line, without the characters that the API refuses in titles and names."""
    return _REFUSED.sub("", _SPACES.sub(" ", text)).strip()


def display_name(text: str) -> str:
    """A display name that the API takes, empty if nothing of `text` can be seen."""
    name = label(text)[: limits.DISPLAY_NAME_CHARS].strip()
    return "" if is_blank(name) else name


def reply(attributes: Attributes, attribution: Attribution | None = None) -> PostDraft:
    """The draft of an answer, which ends with its source. Raises Unusable."""
    body, changes = _body(attributes, attribution)
    return PostDraft(body=body, changes=changes, score=_score(attributes))


def thread(attributes: Attributes, attribution: Attribution | None = None) -> PostDraft:
    """The draft of a question, which ends with its source. Raises Unusable."""
    body, changes = _body(attributes, attribution)
    title, title_changes = _title(attributes.get("Title", ""))
    tags, tag_changes = _tags(attributes.get("Tags", ""))
    changes += title_changes + tag_changes
    return PostDraft(body, title, tags, changes, score=_score(attributes))


def _score(attributes: Attributes) -> int | None:
    score = attributes.get("Score", "")
    return int(score) if _SCORE.fullmatch(score) else None


def _body(attributes: Attributes, attribution: Attribution | None) -> tuple[str, tuple[str, ...]]:
    body = markdown(attributes.get("Body", ""), attribution.base if attribution else "")
    if is_blank(body):
        raise Unusable(EMPTY_BODY)
    source = attribution.line(attributes) if attribution else ""
    room = limits.BODY_CHARS - len(source)
    if len(body) <= room:
        return body + source, ()
    end = _CUT_BODY_END.format(length=len(body))
    kept = body[: room - len(end) - len(_CLOSE_FENCE)]
    # An odd number of fences means that the cut fell into a code block.
    open_fence = len(re.findall("^ *```", kept, re.MULTILINE)) % 2
    return kept + _CLOSE_FENCE * open_fence + end + source, (BODY_CUT,)


def _title(text: str) -> tuple[str, tuple[str, ...]]:
    title = label(text)
    changes = (TITLE_CLEANED,) if title != text.strip() else ()
    if is_blank(title):
        raise Unusable(NO_TITLE)
    if len(title) > limits.TITLE_CHARS:
        title = title[: limits.TITLE_CHARS - len(_CUT_TITLE_END)] + _CUT_TITLE_END
        changes += (TITLE_CUT,)
    return title, changes


def _tags(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tags of either form, `<a><b>` or `|a|b|`, as the API takes them."""
    wanted = [tag for tag in map(str.strip, _TAG_BOUNDARY.split(text)) if tag]
    cleaned = (label(tag.replace(",", " ")).lower()[: limits.TAG_CHARS].strip() for tag in wanted)
    tags = tuple(dict.fromkeys(tag for tag in cleaned if not is_blank(tag)))[: limits.TAGS]
    changed = tags != tuple(dict.fromkeys(tag.lower() for tag in wanted))
    return tags, (TAGS_CHANGED,) if changed else ()
