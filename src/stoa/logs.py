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
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, cast

import structlog
from structlog.typing import EventDict

_FRAMES = 12
_DEPTH = 4
_SPEAKERS = ("uvicorn",)
"""Libraries whose own words are known to hold nothing that a client sent."""
_SECRETS = re.compile(r"stoa_[0-9A-Za-z]{8,}|[0-9A-Za-z_-]{80,}")
_MASK = "***"
_WORD = re.compile(r"[\w.:/-]+", re.ASCII)


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


def configure_logs(level: str, form: Literal["json", "text"] = "json") -> None:
    """Send structlog and the standard library's loggers to stderr at `level`."""
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_note,
            _tell_fault,
            _render if form == "json" else _render_for_people,
        ],
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _Output(sys.stderr))),
    )
    quiet = max(number, logging.WARNING)
    logging.basicConfig(handlers=[_Libraries()], level=quiet, force=True)
    for name in _SPEAKERS:
        logging.getLogger(name).setLevel(number)


class _Output:
    """Where lines go. One that cannot be written, to a closed terminal or a full disk, is lost, and
    does not fail what it tells of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write, or not."""
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        """Write what is buffered, or not."""
        with suppress(OSError, ValueError):
            self._stream.flush()


def loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An event loop's exception handler; the loop's own would print the exception's message."""
    error = context.get("exception")
    structlog.get_logger().error("a task or callback failed", exc_info=error)


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
        structlog.get_logger().log(record.levelno, event, exc_info=error, **told)


def _add_note(_logger: object, _method: str, event: EventDict) -> EventDict:
    note = _note.get()
    if note:
        event["request"] = note.request
        if note.agent:
            event["agent"] = note.agent
    return event


def _tell_fault(_logger: object, _method: str, event: EventDict) -> EventDict:
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exception()
    if isinstance(error, BaseException):
        event["fault"] = list(_told(error))
    return event


def _told(error: BaseException, depth: int = 0) -> Iterator[str]:
    """An exception and what it came from: types and places, the innermost place first."""
    yield type(error).__name__
    for frame in reversed(traceback.extract_tb(error.__traceback__)[-_FRAMES:]):
        yield f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
    parts = cast(BaseExceptionGroup[Any], error).exceptions if _is_group(error) else ()
    for part in (*parts, error.__cause__ or error.__context__):
        if part is not None and depth < _DEPTH:
            yield from _told(part, depth + 1)


def _is_group(error: BaseException) -> bool:
    return isinstance(error, BaseExceptionGroup)


def _short(path: str) -> str:
    """The last two parts of a path."""
    return "/".join(Path(path).parts[-2:])


def _render(_logger: object, _method: str, event: EventDict) -> str:
    """The line, masked. A value that is not JSON is told by its type."""
    line = {name: event.pop(name) for name in ("timestamp", "level", "event")}
    return _SECRETS.sub(_MASK, _json({**line, **event}))


def _render_for_people(_logger: object, _method: str, event: EventDict) -> str:
    """The line for people, masked: time, level and event, then `name=value`. Text is quoted as in
    JSON, so that it never begins a line of its own."""
    time, level, text = (str(event.pop(name)) for name in ("timestamp", "level", "event"))
    told = [f"{time} {level:8} {_json(text)[1:-1]}"]
    told += [f"{name}={_plain(value)}" for name, value in event.items()]
    return _SECRETS.sub(_MASK, " ".join(told))


def _plain(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, default=lambda inner: type(inner).__name__)
