"""Imports a Stack Exchange `Posts.xml`: questions, answers and accepted answers, as their authors.

The file is read twice: once from end to end for its order, then row by row as posts are due. It
can be run again at any time: what the journal has as written is not written again.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import msgspec

from stoa.importers import ImportStopped, drafts
from stoa.importers.forum import Forum
from stoa.importers.journal import Journal
from stoa.importers.keyfile import KeyFile
from stoa.importers.player import Player, Progress
from stoa.importers.posts_xml import ANONYMOUS, ANSWER, QUESTION, Post, post, rows
from stoa.importers.summary import Summary
from stoa.importers.writes import Writes

UNREADABLE = "row without a usable Id, PostTypeId or CreationDate"
TWICE = "second row with the same Id"


class Job(msgspec.Struct, frozen=True):
    """What to import into which server. `concurrency` is the number of steps under way at once."""

    source: Path
    url: str
    keys: Path
    concurrency: int

    @property
    def journal(self) -> Path:
        """The journal lies beside the key file."""
        return Path(f"{self.keys}.journal")


def default_keys(source: Path) -> Path:
    """The key file lies beside the source unless another is named."""
    return Path(f"{source}.keys")


def run(job: Job, progress: Progress) -> Summary:
    """Import the file. Raises ImportStopped; running it again then goes on where it stopped."""
    _check_url(job.url)
    keys, summary = KeyFile(job.keys), Summary()
    with Journal(job.journal, job.url) as journal:
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
            asyncio.run(_play(job, source, journal, keys, summary, progress))
    return summary


async def _play(
    job: Job,
    source: BinaryIO,
    journal: Journal,
    keys: KeyFile,
    summary: Summary,
    progress: Progress,
) -> None:
    async with Forum(job.url, job.concurrency, progress.say) as forum:
        await forum.check(journal.any_thread())
        await _refuse_second_address(forum, journal)
        player = Player(Writes(source, journal), forum, keys, summary, progress)
        await player.play(journal.pending(), job.concurrency)


async def _refuse_second_address(forum: Forum, journal: Journal) -> None:
    """Raise ImportStopped when an earlier run knew this server by another address."""
    for address, thread_id in journal.elsewhere():
        if await forum.has(thread_id):
            raise ImportStopped(
                f"{forum.url} is the server that an earlier run knew as {address}: "
                "give that address as --url, or everything would be written twice"
            )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ImportStopped(f"{url} is not an address such as http://127.0.0.1:8080")


def _posts(source: Path, keys: KeyFile, summary: Summary) -> Iterator[Post]:
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
