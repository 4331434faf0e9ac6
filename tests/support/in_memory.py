"""Where files lie that no test needs after a power cut."""

import os
import shutil
from pathlib import Path

_ROOM = 4 << 30
"""Bytes: about twice what the tests hold at once, most of it databases of PostgreSQL."""


def folder() -> Path | None:
    """A file system in memory with room enough, or None: then files lie on the disk."""
    memory = Path("/dev/shm")  # noqa: S108 - each run makes a folder of its own in it
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM:
        return memory
    return None
