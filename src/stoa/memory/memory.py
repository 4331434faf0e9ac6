"""The caches of one process besides answers and authors."""

from operator import attrgetter

from stoa.caching import USUAL_MB, ByteCache, CachedKind, room
from stoa.memory import near
from stoa.memory.described import COMPARED, Described
from stoa.memory.inboxes import MOST_ROWS, EmptyInboxes
from stoa.memory.near import NearIds
from stoa.memory.offer_index import OFFER_INDEX_SIZES, OfferIndexSizes
from stoa.memory.offers import OfferMemory
from stoa.memory.remembered import RememberedById
from stoa.memory.searched import CachedAuthor, CachedThread, PreparedTexts

_MIB = 1024 * 1024
_ROWS_BYTES, _LASTING_BYTES, _INBOXES_BYTES = 40 * _MIB, 28 * _MIB, 24 * _MIB
"""The memory with the usual bound. 24 MiB are for 40,000 inboxes."""


class Memory:
    """Three caches, which grow with a `cache_mb` above the usual one, and further values.

    A value in `rows` was made of rows of the store, and is not used after one of these has changed.
    No write makes one in `lasting` stale: its key holds all that it is made of, or that never
    changes, or it says itself how long it is used. In `polls` stands whose inbox is empty.
    `offer_index` bounds the index of open offers, `compared` is how many offers a search compares,
    and after more than `most_rows` new events all inboxes are read again.
    """

    def __init__(
        self,
        offer_index: OfferIndexSizes = OFFER_INDEX_SIZES,
        compared: int = COMPARED,
        most_rows: int = MOST_ROWS,
        cache_mb: int = USUAL_MB,
    ) -> None:
        self.rows = ByteCache(room(_ROWS_BYTES, cache_mb))
        self.lasting = ByteCache(room(_LASTING_BYTES, cache_mb))
        self.polls = ByteCache(room(_INBOXES_BYTES, cache_mb))
        by_fields = attrgetter("size"), None, attrgetter("expires_at")
        self.threads = RememberedById[str, CachedThread](self.rows, *by_fields)
        self.authors = RememberedById[str, CachedAuthor](self.rows, *by_fields)
        self.offers = OfferMemory(self.rows, offer_index)
        self.described = Described(self.lasting, compared)
        self.texts = PreparedTexts(self.lasting, lambda _, text: text.bytes)
        self.near = CachedKind[str, NearIds](self.lasting, near.size)
        self.inboxes = EmptyInboxes(self.polls, most_rows)

    @property
    def kept_bytes(self) -> int:
        """The memory that the caches take."""
        return sum(cache.kept_bytes for cache in (self.rows, self.lasting, self.polls))
