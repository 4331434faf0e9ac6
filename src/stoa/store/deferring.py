"""Changes that wait for the end of a transaction, where those of one kind are made together."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from stoa.store.tx import Statement, Value

DeferredRows = list[dict[str, Value]]


def without(
    deferred: Iterable[Statement], statement: str, values: Mapping[str, Value]
) -> list[Statement]:
    """What is left where all of a statement are left out that have these values among theirs."""
    return [
        (name, given)
        for name, given in deferred
        if name != statement or not values.items() <= given.items()
    ]


def by_statement(deferred: Iterable[Statement]) -> dict[str, DeferredRows]:
    """The rows of each statement, in the order of first mention."""
    rows: defaultdict[str, DeferredRows] = defaultdict(list)
    for statement, values in deferred:
        rows[statement].append(values)
    return rows
