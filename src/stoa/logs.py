"""Logging: one line per event on stderr, as JSON or for people.

No line has a secret or what a client sent.

What a caller says never becomes part of a line: of an exception its type and the places it came
through are told and not its message, which may quote a value, and of a library's own lines only
where in the library they were said. What looks like a token, a challenge or a signature is masked
all the same.
"""

import asyncio
import json
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, cast

from stoa.clock import wall_time

_FRAMES = 12
_DEPTH = 4
_SPEAKERS = ("uvicorn",)
"""Libraries whose own words are known to hold nothing that a client sent."""
_SECRETS = re.compile(r"stoa_[0-9A-Za-z]{8,}|[0-9A-Za-z_-]{80,}")
_MASK = "***"
ELSEWHERE = "in another process:"
"""The first line of a note of an exception that says where it came through in another process."""
_WORD = re.compile(r"[\w.:/-]+", re.ASCII)

Form = Literal["json", "text"]
LogLine = dict[str, Any]
"""What a line says, by name: `level` and `event` first."""


@dataclass(slots=True)
class Note:
    """What lines about the request of this task say besides their own."""

    request: str
    agent: str | None = None


_note: ContextVar[Note | None] = ContextVar("note", default=None)


def note_request(request_id: str) -> None:
    """Lines that are logged from here on are about this request."""
    _note.set(Note(request_id))


def note_agent(agent_id: str) -> None:
    """The request is this agent's."""
    note = _note.get()
    if note:
        note.agent = agent_id


def writer(form: Form, output: TextIO) -> Callable[[LogLine], None]:
    """What writes lines in this form. One that cannot be written, to a closed terminal or a full
    disk, is lost, and does not fail what it tells of."""
    render = _render if form == "json" else _render_for_people

    def write(line: LogLine) -> None:
        with suppress(OSError, ValueError):
            output.write(render(_completed(line)) + "\n")
            output.flush()

    return write


class Log:
    """Tells what happens: each event in a sentence, with what is told of it by name.

    Events below the level `least` (a number of the module `logging`) are left out; `write` takes
    the others.
    """

    def __init__(self) -> None:
        self.least = logging.DEBUG
        self.write = writer("text", sys.stderr)

    def debug(self, event: str, **told: object) -> None:
        """Tell what each request does."""
        self.tell(logging.DEBUG, event, **told)

    def info(self, event: str, **told: object) -> None:
        """Tell what is as it should be."""
        self.tell(logging.INFO, event, **told)

    def warning(self, event: str, **told: object) -> None:
        """Tell what the operator may want to change."""
        self.tell(logging.WARNING, event, **told)

    def error(self, event: str, **told: object) -> None:
        """Tell what failed. An exception is told as its `fault`."""
        self.tell(logging.ERROR, event, **told)

    def critical(self, event: str, **told: object) -> None:
        """Tell what stops a part of the service until the operator acts."""
        self.tell(logging.CRITICAL, event, **told)

    def exception(self, event: str, **told: object) -> None:
        """Tell what failed, with the exception that is being handled."""
        self.tell(logging.ERROR, event, **told, fault=sys.exception())

    def tell(self, level: int, event: str, **told: object) -> None:
        """Tell an event of any level."""
        if level >= self.least:
            self.write({"level": logging.getLevelName(level).lower(), "event": event, **told})


def configure_logs(level: str, form: Form = "json") -> None:
    """Send the log and the standard library's loggers to stderr at `level`."""
    number = logging.getLevelNamesMapping()[level.upper()]
    log.least, log.write = number, writer(form, sys.stderr)
    quiet = max(number, logging.WARNING)
    logging.basicConfig(handlers=[_Libraries()], level=quiet, force=True)
    for name in _SPEAKERS:
        logging.getLogger(name).setLevel(number)


def loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An event loop's exception handler; the loop's own would print the exception's message."""
    error = context.get("exception")
    log.error("a task or callback failed", fault=error)


class _Libraries(logging.Handler):
    """Turns the standard library's records into our lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record."""
        told = {"library": record.name}
        if record.name.partition(".")[0] in _SPEAKERS:
            event = record.getMessage().strip()
        else:
            event = "a library says something"
            told["place"] = f"{_short(record.pathname)}:{record.lineno}"
        error = record.exc_info and record.exc_info[1]
        log.tell(record.levelno, event, **told, fault=error)


def _completed(line: LogLine) -> LogLine:
    """The line with its time and its request, and with the places of its fault."""
    fault = line.pop("fault", None)
    line = {"timestamp": wall_time(), **line, **dict(_noted())}
    if isinstance(fault, BaseException):
        line["fault"] = list(_told(fault))
    return line


def _noted() -> Iterator[tuple[str, str]]:
    note = _note.get()
    if note:
        yield "request", note.request
        if note.agent:
            yield "agent", note.agent


def note_of_places(error: BaseException) -> str:
    """A note for an exception that goes to another process, which learns no places otherwise."""
    return "\n".join((ELSEWHERE, *_told(error)))


def _told(error: BaseException, depth: int = 0) -> Iterator[str]:
    """An exception and what it came from: types and places, the innermost place first."""
    yield type(error).__name__
    for frame in reversed(traceback.extract_tb(error.__traceback__)[-_FRAMES:]):
        yield f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
    for note in getattr(error, "__notes__", ()):
        if note.startswith(ELSEWHERE):
            yield from note.splitlines()
    parts = cast(BaseExceptionGroup[Any], error).exceptions if _is_group(error) else ()
    for part in (*parts, error.__cause__ or error.__context__):
        if part is not None and depth < _DEPTH:
            yield from _told(part, depth + 1)


def _is_group(error: BaseException) -> bool:
    return isinstance(error, BaseExceptionGroup)


def _short(path: str) -> str:
    """The last two parts of a path."""
    return "/".join(Path(path).parts[-2:])


def _render(line: LogLine) -> str:
    """The line as JSON, masked. A value that is not JSON is told by its type."""
    return _SECRETS.sub(_MASK, _json(line))


def _render_for_people(line: LogLine) -> str:
    """The line for people, masked: time, level and event, then `name=value`. Text is quoted as in
    JSON, so that it never begins a line of its own."""
    time, level, text = (str(line.pop(name)) for name in ("timestamp", "level", "event"))
    told = [f"{time} {level:8} {_json(text)[1:-1]}"]
    told += [f"{name}={_plain(value)}" for name, value in line.items()]
    return _SECRETS.sub(_MASK, " ".join(told))


def _plain(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, default=lambda inner: type(inner).__name__)


log = Log()
"""The log of this process."""
