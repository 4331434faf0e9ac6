"""The version tells builds apart: it has the commit, of a checkout as of a built package."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import stoa
from tools.release.checks import version

ROOT = Path(__file__).parents[2]
COMMIT = "52d603296b59d1d797ce806c26940b6d3e6cacc7"
OTHER = "0" * 40
RELEASE = version(ROOT)
VERSION = re.compile(rf"{re.escape(RELEASE)}\+g([0-9a-f]{{9}})")


def told(source: Path) -> str:
    """What the package says that lies in a folder."""
    command = [sys.executable, "-c", "import stoa; print(stoa.__version__)"]
    variables = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=variables, cwd=source, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source that no git knows of, with all that a build takes."""
    made = tmp_path / "source"
    shutil.copytree(
        ROOT / "src", made / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    shutil.copytree(ROOT / "requirements", made / "requirements")
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, made)
    return made


def detached(git: Path) -> None:
    (git / "HEAD").write_text(f"{COMMIT}\n")


def on_a_branch(git: Path) -> None:
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/main").write_text(f"{COMMIT}\n")


def packed(git: Path) -> None:
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    lines = f"# pack-refs with: peeled\n{OTHER} refs/heads/not/main\n{COMMIT} refs/heads/main\n"
    (git / "packed-refs").write_text(lines)


@pytest.mark.parametrize("state", [detached, on_a_branch, packed])
def test_a_checkout_has_the_commit_that_is_checked_out(
    state: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    state(tmp_path / ".git")
    assert stoa.version_of(tmp_path) == f"{RELEASE}+g52d603296"


def test_a_worktree_has_the_commit_of_its_own_branch(tmp_path: Path) -> None:
    own = tmp_path / "main/.git/worktrees/one"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/one\n")
    (own / "commondir").write_text("../..\n")
    (tmp_path / "main/.git/packed-refs").write_text(f"{COMMIT} refs/heads/one\n")
    (tmp_path / "one").mkdir()
    (tmp_path / "one/.git").write_text(f"gitdir: {own}\n")
    assert stoa.version_of(tmp_path / "one") == f"{RELEASE}+g52d603296"


def test_what_is_installed_for_work_has_the_commit_that_git_names() -> None:
    head = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(head, cwd=ROOT, capture_output=True, text=True, check=True)
    found = VERSION.fullmatch(stoa.__version__)
    assert found
    assert done.stdout.startswith(found[1])


@pytest.mark.soak
def test_a_built_package_has_the_commit_that_it_was_built_from(
    source: Path, tmp_path: Path
) -> None:
    (source / ".git").mkdir()
    detached(source / ".git")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path)]
    subprocess.run([*pip, *alone, str(source)], check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"stoa_network-{RELEASE}+g52d603296-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    assert told(tmp_path / "installed") == f"{RELEASE}+g52d603296"


def test_without_a_commit_the_version_is_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(name: str) -> str:
        return "0.1.0"

    monkeypatch.setattr("importlib.metadata.version", older)  # that of another source beside it
    assert stoa.version_of(tmp_path) == RELEASE
