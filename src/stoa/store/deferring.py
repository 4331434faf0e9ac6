"""Changes that wait for the end of a transaction, where those of one kind are made together."""

from collections.abc import Iterable

from stoa.store.tx import Statement, Value


def by_statement(deferred: Iterable[Statement]) -> dict[str, list[dict[str, Value]]]:
    """The rows of each statement, in the order of first mention."""
    rows: dict[str, list[dict[str, Value]]] = {}
    for statement, values in deferred:
        rows.setdefault(statement, []).append(values)
    return rows
