"""Changes that wait for the end of a transaction, where those of one kind are made together."""

from collections.abc import Iterable, Iterator

from stoa.store.tx import Statement, Value

Rows = list[dict[str, Value]]

_IN_ORDER = "search.unindex"
"""What was deferred before this is carried out before it: it takes away what others put there."""


def by_statement(deferred: Iterable[Statement]) -> dict[str, Rows]:
    """The rows of each statement, in the order of first mention."""
    rows: dict[str, Rows] = {}
    for statement, values in deferred:
        rows.setdefault(statement, []).append(values)
    return rows


def in_order(deferred: Iterable[Statement]) -> Iterator[tuple[str, Rows]]:
    """The same of several transactions, of which a later one may undo what an earlier one did."""
    before: list[Statement] = []
    for one in deferred:
        if one[0] == _IN_ORDER:
            yield from by_statement(before).items()
            yield from by_statement([one]).items()
            before.clear()
        else:
            before.append(one)
    yield from by_statement(before).items()
