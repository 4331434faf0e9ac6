"""The orders of lists."""

from typing import Any

import msgspec

from stoa.operations.catalog import all_operations
from stoa.schemas.base import Page


def default_sort(kind: type[Page]) -> Any:
    """What a list is sorted by when nobody says; `NODEFAULT` for one that is never sorted."""
    found = {field.name: field.default for field in msgspec.structs.fields(kind)}
    return found.get("sort", msgspec.NODEFAULT)


def test_a_list_that_nobody_sorts_has_the_first_of_its_orders() -> None:
    kinds = {one.request for one in all_operations() if issubclass(one.request, Page)}
    # A search without words is sorted in a way of its own.
    lists = {one for one in kinds if one.order.__func__ is Page.order.__func__}
    first = {one: next(iter(one.orders)) for one in lists}
    sorts = {one: default_sort(one) for one in lists}
    orders = {one: sort for one, sort in sorts.items() if sort is not msgspec.NODEFAULT}
    assert len(orders) > 3
    assert {one: first[one] for one in orders} == orders
