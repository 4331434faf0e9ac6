"""Values that are kept in memory, between transactions that began one after the other."""

from stoa.memory.remembered import Remembered
from stoa.store.changes import Changes, ChangesSeen


def seen(changes: Changes) -> ChangesSeen:
    """What a transaction has seen that begins now."""
    return ChangesSeen(changes, changes.data_version())


def test_of_two_values_that_of_the_later_transaction_is_kept_and_not_for_the_earlier() -> None:
    kept, changes = Remembered[str](), Changes()
    earlier = seen(changes)
    changes.mark(["offers"])
    later = seen(changes)
    kept.keep("new", later, {"offers"}, None)
    kept.keep("old", earlier, {"offers"}, None)
    assert kept.get(later, 0) == kept.latest == "new"
    assert kept.get(earlier, 0) is None
