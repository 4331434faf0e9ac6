"""The journal of an import: a SQLite file beside the key file that makes a second run harmless.

For each server it keeps, per post of the file, the id of the thread or reply that came of it. A
write is noted before it is sent and again when the server has acknowledged it, so after an
interruption only what was under way is in doubt, and that is looked up on the server. The order
of an import is worked out in temporary tables of the same connection: memory stays constant.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path

import apsw
import msgspec

from stoa.importers import ImportStopped
from stoa.importers.posts_xml import Post
from stoa.store.statements import parse
from stoa.store.tx import Value

CHUNK = 64
"""Steps noted with one sync to disk, and so the most that can be in doubt later."""


class StepAction(StrEnum):
    """What a step does on the server; the value of `written.action`."""

    THREAD = "thread"
    REPLY = "reply"
    ACCEPT = "accept"


class ImportStep(msgspec.Struct, frozen=True, array_like=True):
    """One write that is due. `post` is the question of an accept; `answer` the answer, if any.

    `due` is when it is to happen: an accept comes with its answer, no answer before its question.
    `problem` says why it cannot be done and `refusal` what the server said to it before;
    `in_doubt` is true if an earlier run may have sent it without seeing the outcome.
    """

    place: int
    action: StepAction
    post: int
    question: int | None
    answer: int | None
    author: str
    created: int
    due: int
    start: int
    length: int
    problem: str | None
    refusal: str | None
    in_doubt: bool


@cache
def _statements() -> dict[str, str]:
    return parse((files("stoa.importers") / "journal.sql").read_text(encoding="utf-8"))


class Journal:
    """One import of one file into one server. Use `with`, so that it is closed."""

    def __init__(self, path: Path, server: str) -> None:
        """Open or create it. Raises ImportStopped if it is damaged or another import has it."""
        self.path = path
        self._server = server
        try:
            self._connection = _open(path)
        except apsw.BusyError:
            raise ImportStopped(f"another import is using the journal {path}") from None
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            raise ImportStopped(
                f"the journal {path} cannot be written: give with --keys a key file in a folder "
                "where this user may write"
            ) from None
        except apsw.Error as error:
            raise ImportStopped(f"cannot use the journal {path}: {error}") from None

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_error: object) -> None:
        # One in which nothing was begun is of no use to anybody.
        is_empty = self.is_empty
        self._connection.close()
        if is_empty:
            self.path.unlink()

    def plan(self, posts: Iterable[Post]) -> list[int]:
        """Put questions and answers into the order of play; returns ids that came a second time.

        Raises ImportStopped if the journal is that of another file.
        """
        twice: list[int] = []
        with self._connection:
            for post in posts:
                self._run("add_post", **msgspec.structs.asdict(post))
                if not self._connection.changes():
                    twice.append(post.id)
            self._run("plan")
        if (post := self._value("other_source")) is not None:
            raise ImportStopped(
                f"the journal {self.path} belongs to another file: post {post} is not the same; "
                "name another key file with --keys"
            )
        return twice

    @property
    def total(self) -> int:
        """How many steps the plan has."""
        return msgspec.convert(self._value("total"), int)

    def done(self) -> dict[StepAction, int]:
        """How many steps of the plan earlier runs have finished, by action."""
        rows = self._run("done")
        return msgspec.convert(dict(rows), dict[StepAction, int])

    def pending(self) -> Iterator[ImportStep]:
        """The steps that are not done, in order, each noted as begun before it is yielded."""
        return chain.from_iterable(self.chunks())

    def chunks(self) -> Iterator[list[ImportStep]]:
        """The steps of `pending` by the lists in which they are noted as begun."""
        place = 0
        while chunk := self._chunk(place):
            self._begin(chunk)
            yield chunk
            place = chunk[-1].place

    def finish(self, step: ImportStep, remote: str) -> None:
        """Note what the server acknowledged: the id of the thread or reply."""
        self._run("finish", action=step.action, post=step.post, remote=remote)

    def refuse(self, step: ImportStep, code: str) -> None:
        """Note that the server has refused the step for good."""
        self._run("refuse", action=step.action, post=step.post, refusal=code)

    def remote(self, action: StepAction, post: int) -> str | None:
        """The id on the server of what a step wrote, or None if it did not."""
        value = self._value("remote", action=action, post=post)
        return msgspec.convert(value, str | None)

    def is_known(self, action: StepAction, remote: str) -> bool:
        """Whether some post of the file is already known to have become this."""
        return bool(self._value("is_known", action=action, remote=remote))

    def any_thread(self) -> str | None:
        """The id of some thread that an earlier run created on this server."""
        return msgspec.convert(self._value("any_thread"), str | None)

    def elsewhere(self) -> list[tuple[str, str]]:
        """The other servers that were imported into, each with the id of some thread there."""
        rows = self._run("elsewhere")
        return msgspec.convert(list(rows), list[tuple[str, str]])

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever begun, on any server."""
        return self._value("any_row") is None

    def _chunk(self, after: int) -> list[ImportStep]:
        rows = self._run("pending", after=after, limit=CHUNK)
        return msgspec.convert(list(rows), list[ImportStep], strict=False)

    def _begin(self, chunk: list[ImportStep]) -> None:
        # Only this commit waits for the disk: an acknowledgement that is lost to a power cut
        # leaves its step in doubt, a lost beginning would let the post be written twice.
        self._connection.pragma("synchronous", "FULL")
        with self._connection:
            for step in chunk:
                self._run("begin", action=step.action, post=step.post, created=step.created)
        self._connection.pragma("synchronous", "NORMAL")

    def _run(self, statement: str, **values: Value) -> apsw.Cursor:
        given = {"server": self._server, **values}
        return self._connection.execute(_statements()[statement], given)

    def _value(self, statement: str, **values: Value) -> object:
        row = self._run(statement, **values).fetchone()
        return row[0] if row else None


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.pragma("locking_mode", "EXCLUSIVE")
    connection.pragma("journal_mode", "WAL")
    with connection:
        for name, sql in _statements().items():
            if name.startswith("create_"):
                connection.execute(sql)
    return connection
