"""What is logged meanwhile, as a list, and a log that is configured for one test."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from stoa.logs import LogLine, log


@contextmanager
def logged() -> Generator[list[LogLine]]:
    """The lines as they are told, before they have a time and a form."""
    lines: list[LogLine] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "write", lines.append)
        yield lines


@contextmanager
def restored() -> Generator[None]:
    """The log may be configured meanwhile, and is as it was before afterwards."""
    root = logging.getLogger()
    handlers, level, before = root.handlers[:], root.level, (log.least, log.write)
    try:
        yield
    finally:
        log.least, log.write = before
        logging.basicConfig(handlers=handlers, level=level, force=True)
        logging.getLogger("uvicorn").setLevel(logging.NOTSET)
