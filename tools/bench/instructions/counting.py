"""Counts the instructions of the sets with valgrind, in a virtual processor.

What else the machine does changes nothing. The server and the process that writes to the database
are counted together; what the system does for them is not counted.
"""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec

from tests.support.clock import VirtualClock
from tools.bench.instructions.figures import Counts
from tools.bench.instructions.program import WORLD
from tools.bench.seed import Size, seed

_SIZE = Size(threads=240, quiet=48, agents=120, jobs=40)
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}
_PART = re.compile(r"counts\.\d+\.(\d+)")
_TOTAL = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def count(folder: Path, names: list[str]) -> Counts:
    """Run the program over a new database in an empty folder, for sets with these names or all."""
    asyncio.run(_seed(folder))
    command = [
        "valgrind",
        "--quiet",
        "--tool=callgrind",
        f"--callgrind-out-file={folder}/counts.%p",
        "--dump-before=getppid",
        sys.executable,
        "-m",
        "tools.bench.instructions.program",
        str(folder),
        *names,
    ]
    environment = {**os.environ, **_ENVIRONMENT}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return counts(done.stdout.decode().splitlines(), folder)


async def _seed(folder: Path) -> None:
    world = await seed(folder / "stoa.db", _SIZE, VirtualClock())
    (folder / WORLD).write_bytes(msgspec.json.encode(world))


def counts(lines: list[str], folder: Path) -> Counts:
    """The count of each set that the program named. Its requests lie between two marks, and a part
    ends before each mark: the second part is that of the first set."""
    parts = _totals(folder)
    named = [line.partition(" ") for line in lines]
    return {
        name: parts[2 * place] // int(requests)
        for place, (requests, _, name) in enumerate(named, start=1)
    }


def _totals(folder: Path) -> dict[int, int]:
    """The instructions of each part, by its number, of all processes together."""
    found: dict[int, int] = {}
    for file in folder.iterdir():
        part = _PART.fullmatch(file.name)
        total = part and _TOTAL.search(file.read_text(encoding="utf-8"))
        if part and total:
            found[int(part[1])] = found.get(int(part[1]), 0) + int(total[1])
    return found
