"""What `make bench-check` says of counts beside the committed figures."""

from pathlib import Path

import msgspec
import pytest

from tools.bench.instructions import figures

PYTHON, OTHER = "CPython 3.11.7, GCC 12.2.0, x86_64", "CPython 3.14.0, GCC 14.2.0, x86_64"


@pytest.mark.parametrize("counted", [{"search": 900}, {"search": 1_000}, {"search": 1_100}])
def test_a_tenth_more_than_the_figure_is_no_complaint(counted: dict[str, int]) -> None:
    assert list(figures.complaints(counted, {"search": 1_000})) == []


def test_more_than_a_tenth_names_the_set_both_figures_and_the_command() -> None:
    (line,) = figures.complaints({"hot": 1_000, "search": 11_200}, {"hot": 1_000, "search": 10_000})
    assert line == (
        "search: 11,200 instructions, 12% more than the committed 10,000. "
        "If they are worth it: make bench-check ACCEPT=1"
    )


def test_a_set_without_a_figure_is_a_complaint() -> None:
    (line,) = figures.complaints({"search": 1_000}, {})
    assert line.startswith("search: 1,000 instructions, and no committed figure.")
    assert line.endswith("make bench-check ACCEPT=1")


def test_a_figure_without_a_set_is_a_complaint() -> None:
    (line,) = figures.complaints({}, {"search": 1_000})
    assert line.startswith("search: a committed figure, and nothing counted.")


def test_accepting_replaces_the_figures_of_one_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert figures.committed(file, PYTHON) == {}
    figures.accept(file, PYTHON, {"search": 3, "left out": 4})
    figures.accept(file, OTHER, {"search": 1})
    figures.accept(file, PYTHON, {"search": 2})
    assert figures.committed(file, PYTHON) == {"search": 2}
    assert figures.committed(file, OTHER) == {"search": 1}


def test_the_committed_figures_can_be_read() -> None:
    kept = msgspec.json.decode(figures.FILE.read_bytes(), type=dict[str, figures.Counts])
    assert kept
    assert all(kept.values())
