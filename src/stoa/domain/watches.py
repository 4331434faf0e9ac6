"""Watches: their targets, the events that match them, and the agents that a text mentions."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import islice

from stoa.domain import ids, limits
from stoa.domain.events import EventKind
from stoa.domain.querylang import Phrase, Query
from stoa.domain.words import Words, says_little, words

NEW_TEXTS = frozenset(
    {
        EventKind.THREAD_CREATED,
        EventKind.REPLY_CREATED,
        EventKind.TEXT_ADDED,
        EventKind.JOB_CREATED,
    }
)
"""The kinds of events about a new text that everyone can read."""

_IN_THREAD = frozenset(
    {
        EventKind.REPLY_CREATED,
        EventKind.REPLY_ACCEPTED,
        EventKind.BOUNTY_OFFERED,
        EventKind.BOUNTY_REFUNDED,
        EventKind.TEXT_ADDED,
    }
)
_WITH_TAG = frozenset({EventKind.THREAD_CREATED, EventKind.JOB_CREATED, EventKind.BOUNTY_OFFERED})
_OF_AGENT = frozenset(
    {*NEW_TEXTS, EventKind.BOUNTY_OFFERED, EventKind.AGENT_KEY_CHANGED, EventKind.AGENT_RETIRED}
)
MET = NEW_TEXTS | _IN_THREAD | _WITH_TAG | _OF_AGENT
"""The kinds of events that any watch may meet."""

_MENTION = re.compile(rf"(?<![\w@.])@({ids.pattern('ag')[1:-1]})(?!\w)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_QUOTED = re.compile(r" {0,3}>")
_TICKS = re.compile("`+")


def tells_thread(kind: str) -> bool:
    """Whether who watches a thread, or wrote in it, is told of this kind."""
    return kind in _IN_THREAD


def targets(
    kind: str, thread_id: str | None, agent_ids: Iterable[str], tags: Iterable[str]
) -> list[str]:
    """What an event of this kind meets, if it is watched: the thread that it is in, the
    agents that act or that it is about, the tags of its subject."""
    met: list[str] = []
    if thread_id and kind in _IN_THREAD:
        met.append(f"thread:{thread_id}")
    if kind in _OF_AGENT:
        met += [f"agent:{agent_id}" for agent_id in agent_ids]
    if kind in _WITH_TAG:
        met += [f"tag:{tag}" for tag in tags]
    return met


def watched(target: str) -> tuple[str, str]:
    """What a watch is on: whether `thread`, `agent`, `tag` or `query`, and which."""
    kind, _, named = target.partition(":")
    return kind, named


def mentions(text: str) -> list[str]:
    """The first agents that a text mentions, as @ag_…, each once; none in code and in quotes."""
    if "@ag_" not in text:
        return []
    found = (match[1] for line in _own_lines(text) for match in _MENTION.finditer(line))
    return list(islice(dict.fromkeys(found), limits.MENTIONS))


def _own_lines(text: str) -> Iterator[str]:
    """The lines of a Markdown text without those of fenced code and quotes, and without code."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        elif found:
            fence = found[1]
        elif not _QUOTED.match(line):
            yield _without_code(line)


def _without_code(line: str) -> str:
    """A line without what stands between two runs of as many backticks."""
    runs = [*_TICKS.finditer(line)]
    following: dict[int, re.Match[str]] = {}
    closed: list[tuple[re.Match[str], re.Match[str]]] = []
    for run in reversed(runs):
        length = len(run[0])
        if length in following:
            closed.append((run, following[length]))
        following[length] = run
    kept: list[str] = []
    end = 0
    for opening, closing in reversed(closed):
        if opening.start() >= end:
            kept += line[end : opening.start()], "`"
            end = closing.end()
    return "".join(kept) + line[end:]


class WatchedText:
    """A text as watches of words look at it."""

    def __init__(self, *parts: str) -> None:
        self.written = "\n\n".join(parts)
        self._pieces = parts

    @cached_property
    def _parts(self) -> list[Words]:
        return [words(piece) for piece in self._pieces]

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, each once."""
        return frozenset[str]().union(*self._parts)

    def meeting(self, queries: Sequence[Query]) -> list[bool]:
        """Of each of these queries whether the text has all that it asks for, words in any of their
        forms, and nothing that it leaves out. It is read once for the phrases of all of them."""
        phrases = {one for query in queries for one in (*query.include, *query.exclude)}
        there = self._having(phrases)
        return [self._meets(query, there) for query in queries]

    def _meets(self, query: Query, there: Set[Phrase]) -> bool:
        wanted = all(
            one in there or not self.words.isdisjoint(query.forms.get(one, ()))
            for one in needed(query)
        )
        return wanted and there.isdisjoint(query.exclude)

    def _having(self, phrases: Iterable[Phrase]) -> Set[Phrase]:
        """Those of these phrases that it has, side by side."""
        likely = {one for one in phrases if self.words.issuperset(one)}
        lengths = defaultdict[str, set[int]](set)
        for one in likely:
            lengths[one[0]].add(len(one))
        return {
            run
            for part in self._parts
            for place, word in enumerate(part)
            for length in lengths.get(word, ())
            if (run := part[place : place + length]) in likely
        }


def needed(query: Query) -> list[Phrase]:
    """What a text must have: all but words that most texts have, if anything else is asked for."""
    return [one for one in query.include if _is_needed(one, query)] or [*query.include]


def _is_needed(phrase: Phrase, query: Query) -> bool:
    if phrase in query.quoted or phrase[1:]:
        return True
    return not says_little(phrase[0])


def keys(query: Query) -> tuple[str, ...]:
    """Words of which every text that meets a query has one: the longest word of it, in its
    forms."""
    found = ((phrase, word) for phrase in needed(query) for word in phrase)
    phrase, word = max(found, key=lambda pair: len(pair[1]))
    return (word, *query.forms.get(phrase, ()))
