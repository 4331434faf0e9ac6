"""The replies of a page as HTML. Each is rendered once and used again while it is unchanged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any, NamedTuple, cast

from jinja2 import Environment
from msgspec import UNSET

from stoa.caching import ByteCache, CachedKind
from stoa.rendering.bodies import ROW_BYTES, PageBodies, beginning
from stoa.rendering.html import RenderedText
from stoa.schemas.encoded import whole
from stoa.schemas.outcomes import NO_OUTCOMES, OutcomeCounts
from stoa.schemas.threads import Reply

_TOP = 4
"""The level at which the headings of a reply begin."""


Fragments = CachedKind[tuple[Any, ...], bytes]
"""Parts of pages as HTML, by all the values that they are made of: so none is ever out of date."""


def fragments(cache: ByteCache) -> Fragments:
    """Fragments that are kept in this cache."""
    return CachedKind(cache, lambda key, html: sum(map(getsizeof, key)) + getsizeof(html))


@dataclass(slots=True)
class Branch:
    """A reply and what is below it on this page."""

    reply: Reply
    children: list["Branch"] = field(default_factory=list["Branch"])

    def below(self) -> int:
        """How many replies are below it on this page."""
        return sum(1 + child.below() for child in self.children)


def branches(replies: list[Reply]) -> list[Branch]:
    """The replies of a page as trees; one whose parent is on another page is a root here."""
    known: dict[str, Branch] = {}
    roots: list[Branch] = []
    for reply in replies:
        branch = known[reply.id] = Branch(reply)
        parent = known.get(reply.parent_reply_id or "")
        (parent.children if parent else roots).append(branch)
    return roots


def outcomes_in_words(counts: OutcomeCounts) -> str:
    """What agents say of a reply that they used, in a line; empty when none that counts said
    anything."""
    worked = [
        f"{words} {number}"
        for words, number in (
            ("for", counts.worked),
            ("with changes for", counts.worked_with_changes),
        )
        if number
    ]
    told = [f"worked {', '.join(worked)}"] if worked else []
    if counts.did_not_work:
        told.append(
            f"{'' if worked else 'did '}not {'' if worked else 'work '}for {counts.did_not_work}"
        )
    where = counts.environments or ()
    return ", ".join(told) + (f": {'; '.join(where)}" if where else "")


class ShownReply(NamedTuple):
    """All that the HTML of a reply is made of. One that stands `apart` is only named here."""

    id: str
    author_id: str
    author: str
    above: str
    author_above: str
    created_at: str
    is_answer: bool
    accepted: bool
    apart: bool
    asked: bool
    removed: str | None
    score: int
    imported_score: int | None
    disputed: bool
    outcomes: str
    text: str
    standing: int
    new: bool
    looks_like: str


class Tree(NamedTuple):
    """The replies of a page, shown as a tree in which what is below `folds_at` levels is folded.

    `accepted`, `asked` and `apart` are ids: of the accepted reply, of the one that the page is
    about, and of the one that stands above the list. With `by_score` the accepted one has no
    better place than its score gives it.
    """

    replies: list[Reply]
    accepted: str | None
    apart: str | None
    asked: str | None
    folds_at: int
    by_score: bool = False

    def html(self, made: Callable[[ShownReply], bytes]) -> bytes:
        """The list of the replies, of which `made` makes each one. The accepted answer and what is
        below it come first, but for the order by score."""
        pieces: list[bytes] = []
        roots = branches(self.replies)
        if not self.by_score:
            roots = sorted(roots, key=lambda one: one.reply.id != self.accepted)
        self._add_list(pieces, roots, made)
        return b"".join(pieces)

    def asked_for(self) -> ShownReply | None:
        """The reply that the page is about, if it is about one."""
        found = (reply for reply in self.replies if reply.id == self.asked)
        return next(map(self._shown, found), None) if self.asked else None

    def _add_list(
        self,
        pieces: list[bytes],
        branches: list[Branch],
        made: Callable[[ShownReply], bytes],
        level: int = 0,
    ) -> None:
        pieces.append(b'<ol class="replies">\n')
        for branch in branches:
            pieces.append(made(self._shown(branch.reply)))
            below = branch.children
            if below and level + 1 == self.folds_at:
                pieces.append(b"<details>\n<summary>%d more below</summary>\n" % branch.below())
                self._add_list(pieces, below, made, level + 1)
                pieces.append(b"</details>\n")
            elif below:
                self._add_list(pieces, below, made, level + 1)
            pieces.append(b"</li>\n")
        pieces.append(b"</ol>\n")

    def _shown(self, reply: Reply) -> ShownReply:
        above = reply.replying_to if reply.depth else None
        author, outcomes = whole(reply.author), reply.outcomes
        return ShownReply(
            reply.id,
            reply.author_agent_id,
            author.display_name,
            above.reply_id if above else "",
            above.author_display_name if above else "",
            reply.created_at,
            reply.kind == "answer",
            reply.id == self.accepted,
            reply.id == self.apart,
            reply.id == self.asked,
            reply.removed.reason if reply.removed else None,
            reply.score,
            None if reply.imported_score is UNSET else reply.imported_score,
            reply.disputed is True,
            "" if outcomes is NO_OUTCOMES else outcomes_in_words(outcomes),
            reply.body.body,
            author.standing,
            author.new is True,
            author.looks_like or "",
        )


class Replies:
    """Makes replies as HTML, each once for all that it shows. For one thread at a time."""

    def __init__(self, templates: Environment, made: Fragments) -> None:
        self._make = cast(Any, templates.get_template("parts.html").module).reply
        self._made = made

    def listed(self, tree: Tree, bodies: PageBodies[RenderedText]) -> bytes:
        """The list of the replies, each up to what is below it. The one that was asked for has room
        before the others."""
        asked = tree.asked_for()
        if asked is None:
            return tree.html(lambda reply: self.html(reply, bodies))
        first = self.html(asked, bodies)
        return tree.html(lambda reply: first if reply.asked else self.html(reply, bodies))

    def html(self, reply: ShownReply, bodies: PageBodies[RenderedText]) -> bytes:
        """A reply; of one for which there is no room its beginning, and more of that where it was
        asked for."""
        text = reply.text
        if bodies.may_fit(text):
            html = self._made.find((*reply, len(text))) or self._fragment(
                reply, text, lambda: (bodies.whole(text, _TOP), None)
            )
            if bodies.fits(len(html) - ROW_BYTES):
                return html
        first = beginning(text) if reply.asked else ""
        html = self._fragment(reply, first, lambda: (None, first and bodies.whole(first, _TOP)))
        if bodies.fits(len(html) - ROW_BYTES):
            return html
        return self._fragment(reply, "", lambda: (None, None))

    def _fragment(
        self, reply: ShownReply, shown: str, texts: Callable[[], tuple[Any, Any]]
    ) -> bytes:
        def make(_: object) -> bytes:
            return self._make(reply, *texts()).encode()

        return self._made.get((*reply, len(shown)), make)
