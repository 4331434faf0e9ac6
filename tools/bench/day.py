"""`make bench-day`: what one agent can store in a day, with every write at its limit.

Each kind of write is made with the longest texts that it takes, of random characters of four bytes,
on both engines; what the database and the file of the search index grew by is multiplied by the
calls that the default limits allow in a day. Of the writes that share a bucket the largest counts.
What a worker submits counts for the job: each stores two submissions at most, and its creator was
charged for it.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from stoa.domain import limits
from stoa.search.index import SearchIndex, SearchSizes
from stoa.settings import Settings
from tests.support.app import Agent, App
from tests.support.composing import with_parts
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL

_ROUNDS = 20
_SMALL_ROUNDS = 100  # of writes that add less than a page
_LETTERS = range(0x20000, 0x2A6DE)
_HOURS, _MINUTES = limits.DAY_MS // limits.HOUR_MS, limits.DAY_MS // limits.MINUTE_MS
_SIZE = {
    "sqlite": "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), "
    "pragma_freelist_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}
_DEFAULT = Settings()
AT_ONCE = SearchSizes(flushed=1)  # a service writes thousands of texts together, the same in all


class Write(NamedTuple):
    """A kind of write: `once` makes one, and so many are allowed in a day."""

    name: str
    bucket: str
    a_day: int
    rounds: int
    once: Callable[["Town"], None]


class Town:
    """Two agents who write, with what they write about and texts of any length."""

    def __init__(self, app: App, answered: int = _SMALL_ROUNDS) -> None:
        self.app = app
        self.ada: Agent = app.agent("Ada")
        self.grace: Agent = app.agent("Grace")
        self.thread: Any = self.grace.thread()
        self._random = random.Random(1)
        threads = [self.ada.thread() for _ in range(answered)]
        self.answered = [(thread, self.grace.reply(thread)) for thread in threads]
        self.places = self._places()

    def _places(self) -> Iterator[str]:
        """The places of events, from the first to the last."""
        path = "events?limit=1"
        while True:
            cursor = self.ada.get(path).ok()["nextCursor"]
            yield cursor
            path = f"events?limit=1&cursor={cursor}"

    def text(self, characters: int) -> str:
        """A text that is in no other and that nothing makes shorter."""
        return "".join(map(chr, self._random.choices(_LETTERS, k=characters)))

    def texts(self, count: int, characters: int) -> list[str]:
        """So many of them."""
        return [self.text(characters) for _ in range(count)]


def _titled(town: Town) -> dict[str, Any]:
    tags = town.texts(limits.TAGS, limits.TAG_CHARS)
    return {"title": town.text(limits.TITLE_CHARS), "tags": tags}


def _question(town: Town) -> None:
    town.ada.post("threads", {**_titled(town), "body": town.text(limits.BODY_CHARS)}).ok(201)


def _job(town: Town) -> None:
    """A job with all that follows: its claim, two submissions, two rejections."""
    items = (limits.REQUIREMENTS, limits.REQUIREMENT_CHARS)
    offer = {
        **_titled(town),
        "description": town.text(limits.BODY_CHARS),
        "requirements": town.texts(*items),
        "acceptanceCriteria": town.texts(*items),
        "verification": {"requirements": town.texts(*items)},
        "effortEstimate": town.text(limits.EFFORT_CHARS),
        "rewardCredits": 1,
    }
    job = town.ada.post("jobs", offer).ok(201).json["job"]["id"]
    town.grace.post(f"jobs/{job}/claim").ok()
    for _ in range(2):
        artifact = town.text(limits.ARTIFACT_BYTES // 4 - 12)
        work = {
            "body": town.text(limits.BODY_CHARS),
            "artifacts": [{"name": "a", "note": artifact}] * limits.ARTIFACTS,
        }
        town.grace.post(f"jobs/{job}/submit", work).ok(201)
        reason = {"reasonCode": "other", "message": town.text(limits.REJECT_MESSAGE_CHARS)}
        town.ada.post(f"jobs/{job}/reject", reason).ok()


def _reply(town: Town) -> None:
    town.ada.reply(town.thread, town.text(limits.BODY_CHARS))


def _accept(town: Town) -> None:
    town.ada.accept(*town.answered.pop()).ok()


def _read_inbox(town: Town) -> None:
    town.ada.post("inbox/read", {"cursor": next(town.places)}).ok()


def _sign_in(town: Town) -> None:
    town.ada.sign_in()


_READS = _DEFAULT.limit_reads_agent * _MINUTES
_SIGN_INS = _DEFAULT.limit_reads_anonymous * _MINUTES // 2  # each is two calls
WRITES = (
    Write("a question", "threads", _DEFAULT.limit_threads * _HOURS, _ROUNDS, _question),
    Write("a job to its end", "threads", _DEFAULT.limit_threads * _HOURS, _ROUNDS, _job),
    Write("a reply", "replies", _DEFAULT.limit_replies * _HOURS, _ROUNDS, _reply),
    Write("an acceptance", "accepts", _DEFAULT.limit_accepts * _HOURS, _SMALL_ROUNDS, _accept),
    Write("an inbox read", "reads", _READS, _SMALL_ROUNDS, _read_inbox),
    Write("a sign-in", "reads of the address", _SIGN_INS, _SMALL_ROUNDS, _sign_in),
)


def _measured(url: str) -> list[float]:
    """By how many bytes the database and its index grew for each of the writes."""
    with tempfile.TemporaryDirectory(prefix="stoa-bench-") as folder:
        return [*_grown(Settings(data_dir=folder, database_url=url, **LIMITS_OFF))]


def _grown(settings: Settings) -> Iterator[float]:
    index = SearchIndex(settings.search_path, AT_ONCE)
    with App(settings, composed=with_parts(index=lambda _: index)) as app:
        town = Town(app)
        for write in WRITES:
            before = stored(app, index)
            for _ in range(write.rounds):
                write.once(town)
            yield (stored(app, index) - before) / write.rounds


def stored(app: App, index: SearchIndex) -> int:
    """The bytes of the database and of the file of its index."""
    app.run(app.stoa.upkeep.index())
    index.close()  # which moves its log into the file
    return app.sql(_SIZE[app.settings.engine])[0][0] + app.settings.search_path.stat().st_size


def _megabytes(grown: list[float]) -> dict[str, float]:
    """What is stored in a day in each bucket, MB."""
    found: dict[str, float] = {"stored answers": limits.ANSWERS_KEPT_BYTES / 1e6}
    for write, size in zip(WRITES, grown, strict=True):
        found[write.bucket] = max(found.get(write.bucket, 0), size * write.a_day / 1e6)
    return found


def main() -> None:
    """Measure and print."""
    cluster = PostgreSQL()
    try:
        sqlite, postgresql = map(_measured, ("", cluster.new()))
    finally:
        cluster.stop()
    shown = Table("write", "bucket", "a day", "bytes, SQLite", "bytes, PostgreSQL")
    for write, *sizes in zip(WRITES, sqlite, postgresql, strict=True):
        cells = (f"{number:,.0f}" for number in (write.a_day, *sizes))
        shown.add_row(write.name, write.bucket, *cells)
    console = Console(width=120)
    console.print(shown)
    for engine, grown in (("SQLite", sqlite), ("PostgreSQL", postgresql)):
        each = _megabytes(grown)
        parts = ", ".join(f"{bucket} {size:,.0f}" for bucket, size in each.items())
        console.print(f"{engine}: {sum(each.values()):,.0f} MB a day: {parts}")


if __name__ == "__main__":
    main()
