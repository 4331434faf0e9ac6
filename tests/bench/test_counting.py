"""How the counts of the sets are read from the files that valgrind writes."""

from pathlib import Path

import pytest

from tools.bench.instructions.counting import counts


def written(folder: Path, process: int, parts: list[int]) -> None:
    for number, total in enumerate(parts, start=1):
        file = folder / f"counts.{process}.{number}"
        file.write_text(f"# callgrind format\nsummary: 1\n\nfn=(1)\n1 {total}\n\ntotals: {total}\n")
    (folder / f"counts.{process}").write_text("totals: 7\n")


def test_a_count_is_the_part_between_two_marks_of_all_processes(tmp_path: Path) -> None:
    written(tmp_path, 11, [900, 20, 400, 30, 500])
    written(tmp_path, 12, [800, 2, 100, 60, 100])
    found = counts(["2 hot thread read", "3 search"], tmp_path)
    assert found == {"hot thread read": 11, "search": 30}


def test_a_part_that_was_not_written_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, 11, [900])
    with pytest.raises(KeyError):
        counts(["2 hot thread read"], tmp_path)
