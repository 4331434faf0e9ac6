"""Imports a Stack Exchange `Posts.xml`: questions, answers and accepted answers, as their authors.

The file is read twice: once from end to end for its order, then row by row as posts are due. It
can be run again at any time: what the journal has as written is not written again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import msgspec

from stoa.client.keys import canonical_url
from stoa.clock import SystemClock
from stoa.importers import ImportStopped, drafts
from stoa.importers.attribution import Attribution
from stoa.importers.direct import DirectDatabase, DirectPlayer
from stoa.importers.forum import ForumServer
from stoa.importers.journal import Journal
from stoa.importers.keyfile import AuthorKeyFile
from stoa.importers.player import Player, Progress
from stoa.importers.posts_xml import ANONYMOUS, ANSWER, QUESTION, Post, post, rows
from stoa.importers.summary import ImportSummary
from stoa.importers.writes import Writes
from stoa.settings import Settings
from stoa.store.engines import engine_of

UNREADABLE = "row without a usable Id, PostTypeId or CreationDate"
TWICE = "second row with the same Id"

LOST = "views, comments and edits"
LOST_OVER_HTTP = f"{LOST}; the dates and scores of the posts, which --direct keeps"


class ImportJob(msgspec.Struct, frozen=True):
    """What to import, and where to: through the server at `url`, or directly into the `database` of
    these settings. `concurrency` is the number of steps under way at once at a server."""

    source: Path
    keys: Path
    url: str = ""
    concurrency: int = 8
    database: Settings | None = None
    attribution: Attribution | None = None

    @property
    def journal(self) -> Path:
        """The journal lies beside the key file."""
        return Path(f"{self.keys}.journal")

    @property
    def target(self) -> str:
        """What the journal knows the server or the database by."""
        return _place(self.database) if self.database else self.url


def default_keys(source: Path) -> Path:
    """The key file lies beside the source unless another is named."""
    return Path(f"{source}.keys")


def run(job: ImportJob, progress: Progress) -> ImportSummary:
    """Import the file. Raises ImportStopped; running it again then goes on where it stopped."""
    if job.database:
        asyncio.run(_refuse_served(job.database))
    else:
        _check_url(job.url)
    keys = AuthorKeyFile(job.keys)
    summary = ImportSummary(lost=LOST if job.database else LOST_OVER_HTTP)
    with Journal(job.journal, job.target) as journal:
        if not journal.is_empty and not keys.existed:
            raise ImportStopped(
                f"the journal {job.journal} is there without its key file {job.keys}: "
                "restore that, or remove the journal to start over with new authors"
            )
        for post_id in journal.plan(_posts(job.source, keys, summary)):
            summary.skip(TWICE, post_id)
        keys.save()
        summary.already_there.update(journal.done())
        progress.start(journal.total - summary.already_there.total())
        with job.source.open("rb") as source:
            writes = Writes(source, journal, job.attribution)
            play = _play_directly if job.database else _play
            asyncio.run(play(job, writes, keys, summary, progress))
    return summary


async def _play(
    job: ImportJob, writes: Writes, keys: AuthorKeyFile, summary: ImportSummary, progress: Progress
) -> None:
    async with ForumServer(job.url, job.concurrency, progress.say, keys.any()) as forum:
        await forum.check()
        await _refuse_another(forum.has, job, writes.journal)
        player = Player(writes, forum, keys, summary, progress)
        await player.play(writes.journal.pending(), job.concurrency)


async def _play_directly(
    job: ImportJob, writes: Writes, keys: AuthorKeyFile, summary: ImportSummary, progress: Progress
) -> None:
    assert job.database
    clock = SystemClock()
    async with engine_of(job.database).open_alone(job.database, clock) as alone:
        database = await DirectDatabase.over(alone, _freed(job.database), clock)
        await _refuse_another(database.has, job, writes.journal)
        player = DirectPlayer(writes, database, keys, summary, progress)
        await player.play(writes.journal.chunks())


def _freed(settings: Settings) -> Settings:
    """Settings without what holds for strangers: the operator brings these authors in."""
    return msgspec.structs.replace(settings, limit_pair_reputation=0, hold_first=0)


async def _refuse_served(settings: Settings) -> None:
    """Raise StartRefused at once when the database cannot be written to directly."""
    async with engine_of(settings).open_alone(settings):
        pass


async def _refuse_another(
    has: Callable[[str], Awaitable[bool]], job: ImportJob, journal: Journal
) -> None:
    """Raise ImportStopped when this server or database is not the one of an earlier run, or an
    earlier run knew it by another name."""
    thread_id = journal.any_thread()
    if thread_id and not await has(thread_id):
        raise ImportStopped(
            f"{job.target} does not have {thread_id}, which an earlier import created there; "
            "if its data was thrown away, remove the journal to start over"
        )
    for name, thread_id in journal.elsewhere():
        if await has(thread_id):
            given = f"--url {name}" if "://" in name else "--direct"
            raise ImportStopped(
                f"{job.target} is what an earlier run knew as {name}: give {given} as then, "
                "or everything would be written twice"
            )


def _place(settings: Settings) -> str:
    place = engine_of(settings).place(settings)
    return place if settings.engine == "postgresql" else str(Path(place).resolve())


def _check_url(url: str) -> None:
    try:
        canonical_url(url)
    except ValueError:
        raise ImportStopped(f"{url} is not an address such as http://127.0.0.1:8080") from None


def _posts(source: Path, keys: AuthorKeyFile, summary: ImportSummary) -> Iterator[Post]:
    """The questions and answers of the file; each author gets a key."""
    for row in rows(source):
        found = post(row)
        if found is None:
            summary.skip(UNREADABLE, row.attributes.get("Id", "?"))
        elif found.type in {QUESTION, ANSWER}:
            keys.add(found.author, drafts.display_name(found.author_name) or ANONYMOUS)
            yield found
        else:
            summary.other_types[found.type] += 1
