"""Changes that wait for the end of a transaction, where those of one kind are made together."""

from collections.abc import Iterable
from itertools import chain

from stoa.store.tx import Statement, Value

DeferredRows = list[dict[str, Value]]

_IN_ORDER = "search.unindex"
"""What was deferred before this is carried out before it: it takes away what others put there."""


def by_statement(deferred: Iterable[Statement]) -> dict[str, DeferredRows]:
    """The rows of each statement, in the order of first mention."""
    rows: dict[str, DeferredRows] = {}
    for statement, values in deferred:
        rows.setdefault(statement, []).append(values)
    return rows


def in_order(deferred: Iterable[Statement]) -> Iterable[tuple[str, DeferredRows]]:
    """The same of several transactions, of which a later one may undo what an earlier one did."""
    batches: list[dict[str, DeferredRows]] = [{}]
    for statement, values in deferred:
        if statement == _IN_ORDER:
            batches += [{statement: [values]}, {}]
        else:
            batches[-1].setdefault(statement, []).append(values)
    return chain.from_iterable(map(dict[str, DeferredRows].items, batches))
