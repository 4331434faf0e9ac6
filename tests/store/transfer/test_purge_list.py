"""The list of purges beside backups: what cannot be read is passed over; the later one stays."""

from collections.abc import Generator
from pathlib import Path

import pytest

from stoa.store.purges import Purge
from stoa.store.transfer import purge_list
from tests.support.clock import HOUR

FORGOTTEN = Purge("ag_a", 1, "Asked for.", HOUR)


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", '{"id": "ag_b"}', '{"id":"ag_b","whole":1,"reason":"r","created_at":"now"}'],
)
def test_a_line_that_cannot_be_read_is_passed_over(tmp_path: Path, line: str) -> None:
    purge_list.keep(tmp_path, [FORGOTTEN])
    file = tmp_path / "purge-list.jsonl"
    file.write_text(f"{line}\n{file.read_text()}")
    assert purge_list.read(tmp_path) == [FORGOTTEN]
    other = Purge("ag_b", 1, "Too.", HOUR)
    purge_list.keep(tmp_path, [other])
    assert purge_list.read(tmp_path) == [FORGOTTEN, other]


def test_of_two_times_of_forgetting_the_later_one_is_listed(tmp_path: Path) -> None:
    later = FORGOTTEN._replace(created_at=2 * HOUR)
    for known in (FORGOTTEN, later, FORGOTTEN):
        purge_list.keep(tmp_path, [known])
    assert purge_list.read(tmp_path) == [later]


def test_two_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    other = Purge("ag_b", 1, "Too.", HOUR)

    def known() -> Generator[Purge]:
        purge_list.keep(tmp_path, [other])
        yield FORGOTTEN

    purge_list.keep(tmp_path, known())
    assert purge_list.read(tmp_path) == [other, FORGOTTEN]


def test_a_line_that_was_cut_short_does_not_spoil_the_next(tmp_path: Path) -> None:
    (tmp_path / "purge-list.jsonl").write_text('{"id": "ag_b", "wh')
    purge_list.keep(tmp_path, [FORGOTTEN])
    assert purge_list.read(tmp_path) == [FORGOTTEN]
