"""Every worker begins with tests that take long."""

import pytest

from tests.plugins.long_first import dealt


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize(("long", "short"), [(7, 50), (0, 9), (5, 0), (6, 1), (1, 1)])
def test_nothing_is_lost_and_each_kind_keeps_its_order(workers: int, long: int, short: int) -> None:
    files = [[test] for test in range(long)]
    ordered = dealt(files, range(100, 100 + short), workers)
    assert sorted(ordered) == [*range(long), *range(100, 100 + short)]
    assert [test for test in ordered if test >= 100] == [*range(100, 100 + short)]


def test_each_part_begins_with_its_files_of_long_ones() -> None:
    ordered = dealt([[0, 1], [2], [3, 4], [5, 6]], range(100, 123), 3)
    parts = [ordered[:10], ordered[10:20], ordered[20:]]
    found = [[test for test in part if test < 100] for part in parts]
    assert found == [[0, 1, 5, 6], [2], [3, 4]]
    for part, long in zip(parts, found, strict=True):
        assert part[: len(long)] == long
