"""A release is refused where it is not ready, and the same commit gives the same files."""

import json
import os
import re
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from stoa.store.engines.sqlite import migrations as sqlite_migrations
from tests.packaging.test_locks import pinned
from tests.support.soaking import few
from tools.release import building, changelog, checks, sbom, trial

ROOT = Path(__file__).parents[2]
LOG = "# Changelog\n\n## [Unreleased]\n\n- One.\n\n## [0.1.0] - 2026-11-26\n\n- First.\n"
EPOCH = 1_700_000_000
PROMISED = "| A1 | It is kept. | [it is kept](../tests/test_kept.py) |\n"


def git(folder: Path, *command: str) -> None:
    """Run git as nobody in particular."""
    who = ["-c", "user.name=Stoa", "-c", "user.email=stoa@stoa.example"]
    subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A small tree that can be released."""
    root = tmp_path / "tree"
    files = {
        checks.VERSION_FILE: '_RELEASE = "0.2.0"\n',
        ".gitignore": "__pycache__\n",
        "CHANGELOG.md": changelog.dated(LOG, "0.2.0", "2026-11-27"),
        "docs/promises.md": PROMISED,
        "tests/test_promises.py": "def test_promises():\n    pass\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root.parent, "init", "--quiet", str(root))
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Change it")


def unclean(root: Path) -> None:
    (root / "new").write_text("")


def of_a_development_version(root: Path) -> None:
    (root / checks.VERSION_FILE).write_text('_RELEASE = "0.2.0.dev0"\n')
    commit(root)


def undated(root: Path) -> None:
    (root / "CHANGELOG.md").write_text(LOG)
    commit(root)


def unmeasured(root: Path) -> None:
    """The test of promises fails there, as on a promise that no test carries."""
    (root / "tests/test_promises.py").write_text("def test_promises():\n    assert False\n")
    commit(root)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("spoil", "told"),
    few(
        [
            (unclean, "the tree is not clean (1 files differ): commit them or put them aside"),
            (of_a_development_version, "run `make release-date VERSION=0.2.0` and commit"),
            (undated, "CHANGELOG.md has no dated section 0.2.0"),
            (unmeasured, "docs/promises.md has a promise without its test"),
        ]
    ),
)
def test_what_is_not_ready_is_refused_with_one_line(
    ready: Path, spoil: Callable[[Path], None], told: str
) -> None:
    assert list(checks.refusals(ready)) == []
    spoil(ready)
    (refusal,) = checks.refusals(ready)
    assert told in refusal
    assert "\n" not in refusal


def test_a_date_makes_what_is_unreleased_a_version() -> None:
    after = changelog.dated(LOG, "0.2.0", "2026-11-27")
    assert changelog.sections(after) == {
        "Unreleased": (None, ""),
        "0.2.0": ("2026-11-27", "- One."),
        "0.1.0": ("2026-11-26", "- First."),
    }
    with pytest.raises(ValueError, match="nothing to release"):
        changelog.dated(after, "0.3.0", "2026-11-28")
    with pytest.raises(ValueError, match=r"has 0\.1\.0 already"):
        changelog.dated(LOG, "0.1.0", "2026-11-27")


def test_our_own_changelog_has_releases_and_takes_what_is_new() -> None:
    found = changelog.sections((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert next(iter(found)) == "Unreleased"
    undated = [name for name, (date, text) in found.items() if not (date and text)]
    assert set(undated) <= {"Unreleased"}
    assert "0.1.0" in found


def test_our_own_changelog_names_the_newest_migration() -> None:
    newest = max(step.number for step in sqlite_migrations.steps())
    assert f"`{newest:04}`" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_an_archive_has_the_same_bytes_whatever_the_times_of_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    for name, mode in (("src/b", 0o600), ("src/a", 0o755)):
        (folder / name).write_text(name)
        (folder / name).chmod(mode)
    one, other = tmp_path / "one.tar.gz", tmp_path / "other.tar.gz"
    building._pack(folder, ["src"], one, EPOCH)  # pyright: ignore[reportPrivateUsage]
    os.utime(folder / "src/a", (1, 1))
    (folder / "src/b").chmod(0o640)
    building._pack(folder, ["src"], other, EPOCH)  # pyright: ignore[reportPrivateUsage]
    assert one.read_bytes() == other.read_bytes()
    with tarfile.open(one) as file:
        assert [(entry.name, entry.mode, entry.mtime) for entry in file] == [
            ("src/a", 0o755, EPOCH),
            ("src/b", 0o644, EPOCH),
        ]


def test_the_list_of_packages_has_each_of_the_lock_and_is_always_the_same() -> None:
    lock = (ROOT / "requirements/runtime.txt").read_text("utf-8")
    text = sbom.of_locks(lock, "0.2.0", EPOCH)
    assert text == sbom.of_locks(lock, "0.2.0", EPOCH)
    made = json.loads(text)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/stoa-network@0.2.0"
    named = {(part["name"], part["version"]) for part in made["components"]}
    assert named == {(name, one) for name, some in pinned("runtime").items() for one in some}


@pytest.mark.soak
def test_a_clean_clone_gives_the_same_files_twice_and_they_install_and_serve(
    tmp_path: Path,
) -> None:
    clones = [tmp_path / "one", tmp_path / "a/longer/way/to/another"]
    for clone, umask in zip(clones, (0o022, 0o077), strict=True):
        command = ["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(clone)]
        subprocess.run(command, check=True, umask=umask)
    made = [building.build(clone, "HEAD", clone / "dist") for clone in clones]
    first, second = ({file.name: building.sha256(file) for file in files} for files in made)
    assert first == second
    assert len(first) == 6
    assert trial.try_out(clones[0] / "dist") < trial.SERVES_WITHIN_S


@pytest.mark.soak
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_container_needs_no_compiler_on_either_architecture(
    machine: str, tmp_path: Path
) -> None:
    """Each locked package has a wheel for the Python of the image, as it is asked for there."""
    pip = ["download", "--quiet", "--require-hashes", "--only-binary", ":all:"]
    of = ["--python-version", "3.13", "--implementation", "cp", "--abi", "cp313", "--abi", "abi3"]
    image = (ROOT / "deploy/container/Containerfile").read_text("utf-8")
    kinds = re.findall(r"--platform=(manylinux\w+_)\$on", image)
    platforms = [f"--platform={kind}{machine}" for kind in kinds]
    lock = ["-r", str(ROOT / "requirements/runtime.txt"), "--dest", str(tmp_path)]
    command = [trial.sys.executable, "-m", "pip", *pip, *of, "--abi", "none", *platforms, *lock]
    subprocess.run(command, check=True)
