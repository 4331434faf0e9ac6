"""Installs the wheel with hashes into an empty environment, without the source, and serves."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

SERVES_WITHIN_S = 60


def install(release: Path, place: Path) -> Path:
    """Make an environment in `place` from the files of the release alone; its `stoa`."""
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    (requirements,) = release.glob("*-requirements.txt")
    pip = [str(place / "bin/python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    hashes = ["install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
    files = ["--find-links", str(release.resolve()), "-r", str(requirements)]
    subprocess.run([*pip, *hashes, *files], check=True, cwd=place, env=clean())
    return place / "bin/stoa"


def clean() -> dict[str, str]:
    """The environment of this process without what points to this source."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    kept.pop("PYTHONPATH", None)
    return kept


def serves(stoa: Path, place: Path) -> float:
    """Start it on a new database until it is ready; the seconds that it took. Raises TimeoutError
    where it takes longer than a minute."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begun = time.monotonic()
    command = [stoa, "serve", "--port", str(port), "--data-dir", place / "data"]
    with subprocess.Popen(command, cwd=place, env=clean(), stdout=subprocess.DEVNULL) as server:
        try:
            while not _ready(port):
                if server.poll() is not None or time.monotonic() - begun > SERVES_WITHIN_S:
                    raise TimeoutError(f"what was installed does not serve in {SERVES_WITHIN_S} s")
                time.sleep(0.1)
            return time.monotonic() - begun
        finally:
            server.terminate()


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def try_out(release: Path) -> float:
    """Install and serve in a new folder; the seconds from the start to ready."""
    with tempfile.TemporaryDirectory() as place:
        return serves(install(release, Path(place) / "stoa"), Path(place))
