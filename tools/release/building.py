"""Builds the files of a release from a commit, so that the same commit gives the same bytes."""

import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.release import sbom
from tools.release.checks import version

NAME = "stoa_network"
CONTAINER = ("LICENSE", "README.md", "pyproject.toml", "requirements", "src", "deploy")
"""What the container is built from, as deploy/container/Containerfile.dockerignore has it, with
the files that build and start it."""
CHECKSUMS = "SHA256SUMS"
_BACKEND = "import sys; from setuptools import build_meta; build_meta.build_{}(sys.argv[1])"


def build(root: Path, commit: str, to: Path) -> list[Path]:
    """Write all files of the release into the folder `to`; their paths."""
    to.mkdir(parents=True, exist_ok=True)
    epoch = int(_git(root, "show", "-s", "--format=%ct", commit))
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        _export(root, commit, source)
        now = version(source)
        _pack(source, list(CONTAINER), to / f"stoa-{now}-container.tar.gz", epoch)
        _setuptools(source, "wheel", to, epoch)
        sdist = _setuptools(source, "sdist", Path(place), epoch)
        top = f"{NAME}-{now}"
        unpacked = Path(place) / "sdist"
        _unpack(sdist, unpacked)
        _pack(unpacked, [top], to / sdist.name, epoch)
        locks = (source / "requirements/runtime.txt").read_text("utf-8")
        (to / f"stoa-{now}-requirements.txt").write_text(_with_wheel(locks, now, to), "utf-8")
        (to / f"stoa-{now}.cdx.json").write_text(sbom.of_locks(locks, now, epoch), "utf-8")
    files = sorted(file for file in to.iterdir() if file.name != CHECKSUMS)
    (to / CHECKSUMS).write_text("".join(f"{sha256(file)}  {file.name}\n" for file in files))
    return [*files, to / CHECKSUMS]


def sha256(file: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _git(root: Path, *command: str) -> str:
    return subprocess.run(
        ["git", *command], cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()


def _export(root: Path, commit: str, to: Path) -> None:
    """The tree of the commit, whatever else lies in the folder; modes are those of git alone."""
    archive = to.with_suffix(".tar")
    _git(root, "-c", "tar.umask=0022", "archive", f"--output={archive}", commit)
    _unpack(archive, to)


def _unpack(archive: Path, to: Path) -> None:
    to.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", to], check=True, umask=0o022)


def _setuptools(source: Path, kind: str, to: Path, epoch: int) -> Path:
    """What the build backend makes of the source, with the packages of this environment."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    before = set(to.iterdir())
    command = [sys.executable, "-c", _BACKEND.format(kind), str(to.resolve())]
    subprocess.run(
        command, cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL, umask=0o022
    )
    (made,) = set(to.iterdir()) - before
    return made


def _pack(folder: Path, names: list[str], to: Path, epoch: int) -> None:
    """A tar whose bytes follow from the names, the modes and what is in the files alone."""
    files = sorted(
        file
        for name in names
        for file in [folder / name, *(folder / name).rglob("*")]
        if file.is_file()
    )
    with (
        to.open("wb") as out,
        gzip.GzipFile("", "wb", mtime=epoch, fileobj=out) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for file in files:
            entry = tarfile.TarInfo(file.relative_to(folder).as_posix())
            entry.size, entry.mtime = file.stat().st_size, epoch
            entry.mode = (
                0o755 if os.access(file, os.X_OK) and file.stat().st_mode & 0o100 else 0o644
            )
            with file.open("rb") as content:
                tar.addfile(entry, content)


def _with_wheel(locks: str, now: str, folder: Path) -> str:
    """The locks and the wheel beside them, for `pip install --require-hashes`."""
    (wheel,) = folder.glob("*.whl")
    return f"{locks}{NAME.replace('_', '-')}=={now} \\\n    --hash=sha256:{sha256(wheel)}\n"
