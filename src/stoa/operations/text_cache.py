"""Texts of threads and replies, each made ready once for the snippets of searches.

A text never changes, and so does its snippet around a place. Whether the text is hidden is for the
search to know that finds it: the row of a hidden thread is blank, and nothing is kept of it.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from threading import Lock

import msgspec

from stoa.caching import ByteCache
from stoa.domain.snippets import NOWHERE, PreparedText, Sought, cut, first_place, snippet
from stoa.schemas.base import encode
from stoa.schemas.content import UntrustedContent

_MOST_BYTES = 8 * 1024 * 1024
_LONGEST = 10_000
"""Longer texts, in characters, are made ready anew for each search."""
_MOST_WORDS = 200
"""Of a text the places of so many words are kept, and the matches around them. Then all of them are
dropped, so that rare words do not take the room of texts."""
_MATCH_BYTES, _PLACE_BYTES = 300, 100  # what a match and a place take beside their texts

_BEFORE, _BEHIND = encode(UntrustedContent(body="")).split(b'""')


class EncodedMatch(msgspec.Struct, frozen=True, gc=False):
    """How a text matches, as the JSON at the end of a row, and a hash of it."""

    json: bytes
    counted: bytes


class CachedText:
    """A text of a thread, or of one of its replies. `matches` are those that were shown, by the
    places that their snippets are cut around, `places` those of words that were looked for; `size`
    is how many bytes all of it takes at most."""

    __slots__ = ("_before", "id", "matches", "places", "prepared", "size")

    def __init__(self, thread_id: str, text_id: str, prepared: PreparedText) -> None:
        self.id = text_id
        self.prepared = prepared
        self.matches: dict[int, EncodedMatch] = {}
        self.places: dict[str, int] = {}
        own = b'"replyId":"%b",' % text_id.encode() if text_id != thread_id else b""
        self._before = b',"match":{%b"snippet":%b' % (own, _BEFORE)
        self.size = self.own_size

    @property
    def own_size(self) -> int:
        """How many bytes the text alone takes."""
        return self.prepared.bytes + len(self._before)

    def match(self, snippet: str) -> EncodedMatch:
        """The match that a snippet shows."""
        json = b"%b%b%b}}" % (self._before, encode(snippet), _BEHIND)
        return EncodedMatch(json, hashlib.sha1(json, usedforsecurity=False).digest())


class TextCache:
    """Texts by the ids of their threads and replies, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[str, CachedText] = ByteCache(_MOST_BYTES, lambda _, text: text.size)
        self._lock = Lock()

    def known(self, ids: Collection[str]) -> list[CachedText | None]:
        """The texts with these ids, None for those that are not cached."""
        with self._lock:
            return self._known.find_all(ids)

    def keep(self, texts: Iterable[CachedText]) -> None:
        """Cache these."""
        with self._lock:
            for text in texts:
                if text.prepared.characters <= _LONGEST:
                    self._known.put(text.id, text)

    def matches(self, texts: Sequence[CachedText], sought: Sought) -> list[EncodedMatch]:
        """How each of these texts matches."""
        found: list[EncodedMatch] = []
        terms = sought.terms
        for text in texts:
            first, places = NOWHERE, text.places
            try:
                for term in terms:
                    place = places[term]
                    if place < first:  # noqa: PLR1730 - a call of min takes longer than all of this
                        first = place
                found.append(text.matches[first])
            except KeyError:
                found.append(self._looked_for(text, sought))
        return found

    def _looked_for(self, text: CachedText, sought: Sought) -> EncodedMatch:
        """How a text matches, whose terms may not have been looked for in it."""
        short, places = text.prepared.short, text.places
        if short is None:
            return text.match(snippet(text.prepared, sought))
        if len(places) > _MOST_WORDS:
            self._forget(text)
        known = len(places)
        place = first_place(short, sought, places)
        match = text.matches.get(place)
        if match is None:
            match = text.matches[place] = text.match(cut(short, place))
            self._note(text, len(match.json) + _MATCH_BYTES)
        if len(places) > known:
            self._note(text, sum(len(term) + _PLACE_BYTES for term in sought.terms))
        return match

    def _forget(self, text: CachedText) -> None:
        """Drop what was made of a text for searches."""
        text.places.clear()
        text.matches.clear()
        self._note(text, text.own_size - text.size)

    def _note(self, text: CachedText, more: int) -> None:
        """Note how many bytes a text takes more than before."""
        with self._lock:
            text.size += more
            self._known.grow(text.id, text, more)
