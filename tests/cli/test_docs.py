"""`stoa docs` as a user runs it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from setuptools import Distribution

from stoa.web.manual.pages import NAVIGATION
from tests.support.command import run_stoa_here

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_without_a_page_all_pages_are_listed() -> None:
    done = run_stoa_here("docs")
    assert done.code == 0
    for name in (name for group in NAVIGATION.values() for name in group):
        assert f"\n  {name} " in done.out


@pytest.mark.parametrize("name", ["operating", "reference/errors", "operating.md", "README"])
def test_a_page_is_printed_as_its_markdown(name: str) -> None:
    done = run_stoa_here("docs", name)
    assert done.out == (DOCS / f"{name.removesuffix('.md')}.md").read_text("utf-8")


def test_a_page_is_found_by_the_end_of_its_name() -> None:
    assert run_stoa_here("docs", "settings").out == (DOCS / "reference/settings.md").read_text(
        "utf-8"
    )
    assert run_stoa_here("docs", "scale").out == (DOCS / "scale.md").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments", [("nowhere",), ("../README",), ("operating", "--serve"), ("--port", "x")]
)
def test_a_wrong_command_line_ends_with_2(arguments: tuple[str, ...]) -> None:
    done = run_stoa_here("docs", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err


@pytest.mark.soak
def test_the_site_is_written_into_a_folder_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):  # again over an earlier one
        done = run_stoa_here("docs", "--build", str(tmp_path / "site"))
        assert done.code == 0
    assert (tmp_path / "site/index.html").is_file()
    assert (tmp_path / "site/reference/errors.html").is_file()
    others = run_stoa_here("docs", "--build", str(tmp_path))
    assert (others.code, others.err.count("\n")) == (1, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["site"]


@pytest.fixture
def address() -> Iterator[str]:
    """The address of the pages while they are served."""
    command = [sys.executable, "-m", "stoa", "docs", "--serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.soak
def test_the_pages_are_served_to_this_machine(address: str) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    for path in ("", "operating.html", "decisions/", "search.js", "manual.css?x=1"):
        answer = httpx.get(address + path, timeout=60)
        assert answer.status_code == 200, path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("nowhere.html", "..%2fpyproject.toml", "%2e%2e/%2e%2e/etc/passwd"):
        assert httpx.get(address + path, timeout=60).status_code == 404


@pytest.mark.filterwarnings("ignore")
def test_the_built_package_has_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    distribution = Distribution()
    distribution.parse_config_files()
    command = distribution.get_command_obj("build_py")
    command.ensure_finalized()
    packed = {
        name
        for package, _, _, names in command.data_files
        for name in names
        if package in ("stoa.cli.manual", "stoa.web.manual")
    }
    files = [*DOCS.rglob("*.md"), *DOCS.rglob("*.svg")]
    pages = {f"docs/{path.relative_to(DOCS).as_posix()}" for path in files}
    assert len(pages) > 30
    assert pages | {"page.html", "manual.css", "manual.js"} == packed
