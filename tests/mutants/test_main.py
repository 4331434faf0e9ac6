"""`make mutants` on a small project: what it catches, what it lists, and what it leaves alone."""

from pathlib import Path

import pytest

from tools.mutants.__main__ import main

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MODULE = """def filled(count):
    while count < 3:
        count += 1
    return count
"""
TESTS = """from shop.boxes import filled


def test_a_box_is_filled_with_three_or_four():
    assert filled(0) in {3, 4}
"""
CONFIG = """
areas = ["src/shop"]
declared = []
test_seconds = 2

[[equivalent]]
path = "/boxes.py"
old = "count += 1"
new = "count += 2"
reason = "A box is filled either way."

[[equivalent]]
path = "/crates.py"
old = "while count < 3:"
new = "while count < 4:"
reason = "A crate takes four."
"""
SURVIVORS = """
src/shop/boxes.py:2 survived
  -    while count < 3:
  +    while count <= 3:

src/shop/boxes.py:2 survived
  -    while count < 3:
  +    while count < 4:
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose tests miss that four are too many."""
    for name, text in (
        ("src/shop/boxes.py", MODULE),
        ("tests/test_boxes.py", TESTS),
        ("config.toml", CONFIG),
        ("pytest.ini", "[pytest]\nmarkers =\n soak\n bench\n long\n"),
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    # All that is installed takes longer to load than these tests take.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist.plugin -p pytest_timeout")
    return tmp_path


def run(project: Path, *more: str) -> int:
    given = ("--project", str(project), "--config", str(project / "config.toml"))
    return main([*given, *more])


@pytest.mark.soak
def test_what_no_test_notices_is_listed_and_the_tree_is_as_it_was(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An endless loop, `count += 0`, is noticed."""
    assert run(project, "--count", "100") == 1
    said = capsys.readouterr().out
    counted = "6 mutants, 3 killed, 2 survived, 0 unfinished, 1 known as equivalent: 60.0 % killed"
    assert counted in said
    for survivor in SURVIVORS.split("\n\n"):
        assert survivor.strip() in said
    assert (project / "src/shop/boxes.py").read_text() == MODULE


def test_a_seed_draws_the_same_mutants_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[str] = []
    for seed in ("1", "1", "2"):
        assert run(project, "--list", "--count", "3", "--seed", seed) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]
    assert run(project, "--only", "nothing") == 1
    said = capsys.readouterr().out
    assert said.startswith("All tests run once first")
    assert "0 mutants" in said
