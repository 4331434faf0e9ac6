"""Deferred changes: those of one kind are made together at the end of a transaction."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from stoa.store.tx import Statement, Value

DeferredRows = list[dict[str, Value]]


def without(
    deferred: Iterable[Statement], statement: str, values: Mapping[str, Value]
) -> list[Statement]:
    """The deferred changes without those of a statement that have these values among theirs."""
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
