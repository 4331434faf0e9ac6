"""Changes that wait for the end of a transaction: those of one kind become one statement."""

from collections.abc import Iterable

import msgspec

from stoa.store.tx import Value

Deferred = tuple[str, dict[str, Value]]
"""The name of a statement and the values of one row of its `:rows`."""


def together(deferred: Iterable[Deferred]) -> dict[str, str]:
    """`:rows`, a JSON array, by the name of the statement, in the order of first mention."""
    rows: dict[str, list[dict[str, Value]]] = {}
    for statement, values in deferred:
        rows.setdefault(statement, []).append(values)
    return {statement: msgspec.json.encode(its).decode() for statement, its in rows.items()}
