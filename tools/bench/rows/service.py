"""What a running Stoa takes: the import of a real site, memory after it, the time until ready."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.limits_off import LIMITS_OFF
from tools.bench import servers
from tools.bench.registry import Result, at_most, row
from tools.bench.servers import Server
from tools.bench.stage import Stage

IMPORT_S = 30.0
MEMORY_MB = 90.0
READY_S = 0.45
_STARTS = 5
_SITE = Path(os.environ.get("STOA_TEST_DATA", "../shared/data")) / "beer" / "Posts.xml"


@row
def import_and_start(stage: Stage) -> Iterator[Result]:
    """The import of a site of 663 questions and 1,572 answers, then starts with what came in."""
    folder = stage.folder / "imported"
    if not _SITE.exists():
        yield Result("import of a site", "not measured", detail=f"there is no {_SITE}")
        return
    with servers.stoa(folder, **LIMITS_OFF) as server:
        yield at_most("import of a site", _import(server, stage.folder), IMPORT_S, "s")
        yield at_most("memory after it", server.memory_mb(), MEMORY_MB, "MB")
    ready = [_ready_s(folder) for _ in range(_STARTS)]
    detail = f"median of {_STARTS}, {min(ready):.2f}-{max(ready):.2f}"
    yield at_most("ready after", statistics.median(ready), READY_S, "s", detail)


def _import(server: Server, folder: Path) -> float:
    start = time.perf_counter()
    command = [sys.executable, "-m", "stoa", "import", "stackexchange", str(_SITE)]
    command += ["--url", server.origin, "--keys", str(folder / "authors.keys")]
    command += ["--site", "beer.stackexchange.com"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def _ready_s(folder: Path) -> float:
    with servers.stoa(folder) as server:
        return server.ready_s
