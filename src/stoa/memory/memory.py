"""What one process keeps of the store beside answers and authors."""

from stoa.caching import ByteCache
from stoa.memory.described import COMPARED, Described
from stoa.memory.inboxes import MOST_ROWS, EmptyInboxes
from stoa.memory.near import near_by_id
from stoa.memory.offer_index import OFFER_INDEX_SIZES, OfferIndexSizes
from stoa.memory.offers import OfferMemory
from stoa.memory.searched import prepared_texts, summaries_by_id

_MIB = 1024 * 1024
_ROWS_BYTES = 40 * _MIB
_LASTING_BYTES = 28 * _MIB


class Memory:
    """`rows` has what was made of rows, until one of these changes; `lasting` what is never out of
    date, as its key says what it is made of, or as that never changes. How large the index of
    offers gets, how many of them are `compared` and behind how many events inboxes are read again
    (`most_rows`) is for each of these to say."""

    def __init__(
        self,
        offer_index: OfferIndexSizes = OFFER_INDEX_SIZES,
        compared: int = COMPARED,
        most_rows: int = MOST_ROWS,
    ) -> None:
        self.rows, self.lasting = ByteCache(_ROWS_BYTES), ByteCache(_LASTING_BYTES)
        self.summaries = summaries_by_id(self.rows)
        self.offers = OfferMemory(self.rows, offer_index)
        self.described = Described(self.lasting, compared)
        self.texts = prepared_texts(self.lasting)
        self.near = near_by_id(self.lasting)
        self.inboxes = EmptyInboxes(most_rows)
