"""The types of what can be sent."""

from functools import cache

import msgspec

from stoa.operations.catalog import all_operations
from stoa.schemas.base import Request
from stoa.schemas.validation import fields


@cache
def requests() -> tuple[type[Request], ...]:
    """The request types of all operations, by name."""
    kinds = {operation.request for operation in all_operations()}
    return tuple(sorted(kinds, key=lambda kind: kind.__name__))


@cache
def objects() -> tuple[type[msgspec.Struct], ...]:
    """The request types and those of the objects in them."""
    found: dict[type[msgspec.Struct], None] = {}
    left: list[type[msgspec.Struct]] = [*requests()]
    while left:
        kind = left.pop(0)
        found[kind] = None
        left += [field.holds for field in fields(kind).values() if field.holds]
    return tuple(found)
