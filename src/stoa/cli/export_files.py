"""Writes an export: the public rows as JSON Lines and as Markdown, and checksums of all files."""

import os
import shutil
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from stoa.cli import export_markdown
from stoa.cli.ending import writing
from stoa.importers.export import SUMS
from stoa.store import unusable
from stoa.store.transfer import public
from stoa.store.transfer.copying import CopySource
from stoa.store.transfer.public import ExportLine
from stoa.store.tx import StartRefused

FileCounts = dict[str, int]
"""The files of an export, and how many entries each has."""


async def write(source: CopySource, folder: Path) -> FileCounts:
    """Write everything public in a snapshot into a folder, which must be new or empty.

    The checksums come last: a folder without them is no export. Raises `StartRefused` with none of
    it left.
    """
    with _new(folder):
        files = {file.name: _encoded(public.walk(source, file)) for file in public.ROWS}
        files[public.MOVEMENTS] = _encoded(public.walk_movements(source))
        files |= export_markdown.files(source)
        sums: list[str] = []
        counts: FileCounts = {}
        for name in sorted(files):
            digest, counts[name] = await _write(folder / name, files[name])
            sums.append(f"{digest}  {name}\n")
        await _write(folder / SUMS, _once("".join(sums).encode()))
    return counts


async def _encoded(batches: AsyncIterator[list[ExportLine]]) -> AsyncIterator[list[bytes]]:
    async for lines in batches:
        yield [public.encode(line) for line in lines]


async def _once(text: bytes) -> AsyncIterator[list[bytes]]:
    yield [text]


async def _write(path: Path, batches: AsyncIterator[list[bytes]]) -> tuple[str, int]:
    """Write entries to a new file; returns its checksum and the number of entries."""
    digest, entries = sha256(), 0
    with path.open("xb") as file:
        async for batch in batches:
            for entry in batch:
                digest.update(entry)
            file.writelines(batch)
            entries += len(batch)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest(), entries


@contextmanager
def _new(folder: Path) -> Generator[None]:
    """A folder to fill, which is emptied again when that fails."""
    there = folder.is_dir()
    with writing(folder):
        if there and any(folder.iterdir()):
            raise StartRefused(f"{folder} is not empty: choose a new folder for the export")
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException as error:
        _clear(folder, keep=there)
        if isinstance(error, OSError):
            said = f"no export was made in {folder}: {unusable.why(error)}"
            raise StartRefused(said) from error
        raise


def _clear(folder: Path, *, keep: bool) -> None:
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for file in folder.iterdir():
        file.unlink()
