"""`stoa config check`: all mistakes of a file at once, each in one line that says what to do."""

from pathlib import Path

import pytest

from tests.support.command import run_stoa_here

WRONG = """\
port = 99999
wokers = 2
signups = "friends"
workers = 2
contact = "ops"
trusted_proxies = ["10.0.0.0/33"]
base_url = "https://a.example/stoa"
"""


@pytest.mark.promise("P14")
def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    file.write_text(WRONG)
    done = run_stoa_here("config", "check", str(file))
    assert (done.code, done.out) == (1, "")
    lines = done.err.splitlines()
    told = ("wokers", "port", "signups", "workers", "base_url", "trusted_proxies", "contact")
    assert len(lines) == len(told)
    for line, setting in zip(lines, told, strict=True):
        assert line.startswith(f"{file}: {setting}") or f"unknown setting {setting}" in line
    assert "did you mean workers?" in lines[0]
    assert "use a whole number from 0 to 65535 (given: 99999)" in lines[1]


def test_what_the_environment_gives_is_looked_at_too(tmp_path: Path) -> None:
    file = tmp_path / "stoa.toml"
    file.write_text('host = "0.0.0.0"\n')
    asked = ("config", "check", str(file))
    alone = run_stoa_here(*asked)
    assert (alone.code, "STOA_BASE_URL must be set" in alone.err) == (1, True)
    done = run_stoa_here(*asked, STOA_BASE_URL="https://a.example")
    assert (done.code, done.out, done.err) == (0, f"{file}: no mistake\n", "")
    both = run_stoa_here(*asked, STOA_BASE_URL="a.example", STOA_PORT_FILE="/nowhere")
    assert len(both.err.splitlines()) == 2


def test_where_there_is_no_file_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_stoa_here("config", "check")
    assert (done.code, done.out) == (0, "stoa.toml: there is none here; no mistake elsewhere\n")


@pytest.mark.parametrize(("text", "told"), [(None, "cannot read"), ("port =", "is not TOML")])
def test_a_file_that_cannot_be_read_is_one_line(
    tmp_path: Path, text: str | None, told: str
) -> None:
    file = tmp_path / "stoa.toml"
    if text is not None:
        file.write_text(text)
    done = run_stoa_here("config", "check", str(file))
    assert (done.code, done.err.count("\n"), told in done.err) == (1, 1, True)


def test_a_folder_of_data_that_is_a_file_is_told(tmp_path: Path) -> None:
    taken, file = tmp_path / "taken", tmp_path / "stoa.toml"
    taken.write_text("")
    file.write_text(f'data_dir = "{taken}"\n')
    done = run_stoa_here("config", "check", str(file))
    assert done.code == 1
    assert done.err == f"{file}: data_dir: {taken} is a file; name a folder\n"
