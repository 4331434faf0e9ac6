"""Brings an export of Stoa into an empty database, with the same ids."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import msgspec

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.domain.labels import offered_words
from stoa.domain.paced import in_pieces
from stoa.domain.reputation import pair
from stoa.domain.terms import NO_TERMS, WorkTerms
from stoa.domain.text import normalise_capability
from stoa.importers.export_credits import Books, hundredths
from stoa.schemas.terms import read_terms
from stoa.store.opportunities import kept_requirements
from stoa.store.transfer import audit, public
from stoa.store.transfer.copying import TABLES, TableUpdate, Target
from stoa.store.transfer.public import BATCH, OBJECT, TIME, ExportLine, File
from stoa.store.tx import Row, StartRefused

SUMS = "SHA256SUMS"

_NEEDED = sorted({*(file.name for file in public.ROWS), public.MOVEMENTS})
_TABLES = {table.name: table for table in TABLES}
_ANOTHER = "copy the export again, or make a new one"
_EMPTY = "import into a new database, which `stoa migrate` makes"

_ADDED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "agent": lambda _: {"version": 1, "suspended_reason": None},
    "job": lambda _: {"last_reject_message": None},
    "submission": lambda _: {"body": "", "artifacts": "[]"},
    "reputation_event": lambda row: {"pair": pair(row["agent_id"], row["counterparty_id"])},
}
"""The columns of a table that no export has, from the others."""

_Offer = tuple[ExportLine, list[str], list[str], WorkTerms | None]
"""An open hold with the tags and the requirements of its subject."""

_CLAIM_RECEIPT = ("id", "action", "resource_type", "resource_id", "agent_id", "created_at")


def check_sums(folder: Path) -> str:
    """Compare every file of an export with its checksum; returns a name for what it holds.

    Raises `StartRefused` unless all files are there and whole.
    """
    try:
        sums = (folder / SUMS).read_bytes()
    except OSError as error:
        raise StartRefused(f"{folder} is no whole export: {SUMS}: {error.strerror}") from None
    listed = dict(map(_sum, sums.decode(errors="replace").splitlines()))
    for name in _NEEDED:
        if name not in listed:
            raise StartRefused(f"{folder / SUMS} has no checksum of {name}: {_ANOTHER}")
    for name, expected in listed.items():
        _check_sum(folder / name, expected)
    return f"export {sha256(sums).hexdigest()}"


def _sum(line: str) -> tuple[str, str]:
    digest, _, name = line.partition("  ")
    return Path(name).name, digest


def _check_sum(path: Path, expected: str) -> None:
    try:
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StartRefused(f"cannot read {path}: {error.strerror}; {_ANOTHER}") from None
    if found != expected:
        raise StartRefused(f"{path} is damaged: its checksum is not that in {SUMS}; {_ANOTHER}")


async def bring_in(
    folder: Path, identity: str, target: Target, grant: int, *, batch: int = BATCH
) -> dict[str, int]:
    """Fill an empty database from an export, so many rows at a time; returns the number of rows by
    file.

    `identity` is what `check_sums` returned, `grant` what each agent is given at the start, in
    hundredths. No server opens the database until everything is in it and agrees. Raises
    `StartRefused`.
    """
    await target.begin(identity, f"the export {folder}")
    for table in ("agent", "account"):
        if await target.count(_TABLES[table]) > (table == "account"):
            raise StartRefused(f"{target.place} holds a part of an export already: {_EMPTY}")
    bringing = _Import(folder, target, Books(grant), batch)
    await bringing.run()
    for finding in await audit.run_all(target.tx):
        if finding.differences:
            raise StartRefused(f"{folder} contradicts itself ({finding.check.meaning}): {_ANOTHER}")
    await target.finish()
    return bringing.counts


@dataclass
class _Import:
    """One import under way, some rows in each transaction."""

    folder: Path
    target: Target
    books: Books
    batch: int
    counts: dict[str, int] = field(default_factory=dict[str, int])
    _bounties: dict[str, ExportLine] = field(default_factory=dict[str, ExportLine])
    """The open ones, by their thread."""

    async def run(self) -> None:
        """Bring in all tables, each after those that it refers to."""
        for movement in self._lines(public.MOVEMENTS):
            self.books.note(movement)
        await self._agents()
        await self._plain(public.KEYS)
        await self._credits()
        await self._threads()
        await self._plain(public.REPLIES)
        await self._posts()
        await self._first_posts()
        await self._plain(public.OUTCOMES)
        await self._jobs()
        await self._plain(public.ADDITIONS)
        await self._plain(public.SUBMISSIONS)
        await self._events()
        await self._plain(public.RELEASED)
        await self._plain(public.REPUTATION)
        await self._records()
        await self._plain(public.MODERATION)
        await self._log()

    # --- Reading.

    def _lines(self, name: str) -> Iterator[ExportLine]:
        """The lines of a file. Raises `StartRefused` for one that cannot be read."""
        path, number = self.folder / name, 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    decoded = public.decode(line)
                except (msgspec.DecodeError, ArithmeticError):
                    raise StartRefused(f"{path}: line {number} cannot be read") from None
                yield decoded
        self.counts[name] = number

    def _batches(self, file: File) -> Iterator[tuple[list[ExportLine], TableUpdate]]:
        """The lines of a file, some at a time, and the rows of its table."""
        for lines in in_pieces(self._lines(file.name), self.batch):
            rows = [self._row(file, line) for line in lines]
            values: list[Row] = [tuple(row.values()) for row in rows]
            yield lines, TableUpdate(file.table, tuple(rows[0]), values, [], [])

    def _row(self, file: File, line: ExportLine) -> dict[str, Any]:
        try:
            row = file.row(line)
        except (AttributeError, ArithmeticError, KeyError, TypeError, ValueError):
            named = line.get(file.columns[file.table.key[0]][0])
            raise StartRefused(f"{self.folder / file.name}: {named} cannot be read") from None
        added = _ADDED.get(file.table.name)
        return row | added(row) if added else row

    # --- Writing.

    async def _add(self, table: str, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        for some in in_pieces(rows, self.batch):
            await self.target.apply([TableUpdate(_TABLES[table], columns, some, [], [])])

    async def _plain(self, file: File) -> None:
        for _, change in self._batches(file):
            await self.target.apply([change])

    async def _agents(self) -> None:
        for lines, change in self._batches(public.AGENTS):
            await self.target.apply([change])
            accounts, *booked = self.books.of_agents(lines)
            await self.target.apply([accounts])
            await self.target.apply(booked)
            await self._add(
                "agent_capability",
                ("capability", "agent_id", "reputation", "standing"),
                (
                    (capability, line["id"], line["reputationScore"], line["standing"])
                    for line in lines
                    for capability in sorted({*map(normalise_capability, line["capabilities"])})
                ),
            )

    async def _credits(self) -> None:
        for lines, change in self._batches(public.HOLDS):
            await self.target.apply([change, *self.books.of_holds(lines)])
            self._bounties |= {line["subjectId"]: line for line in lines if _is_offered(line)}
        for movements in in_pieces(self._lines(public.MOVEMENTS), self.batch):
            await self.target.apply(self.books.of_movements(movements))
        await self._plain(public.SETTLEMENTS)
        await self.target.apply(self.books.of_issuer())

    async def _threads(self) -> None:
        for lines, change in self._batches(public.THREADS):
            await self.target.apply([change])
            rows = [
                (tag, line["id"], TIME.back(line["lastActivityAt"]), line["replyCount"])
                for line in lines
                for tag in line["tags"]
            ]
            columns = ("tag", "thread_id", "last_activity_at", "reply_count")
            await self._add("thread_tag", columns, rows)
            offered: list[_Offer] = [
                (self._bounties[line["id"]], line["tags"], [], None)
                for line in lines
                if line["id"] in self._bounties and not line["removedAt"]
            ]
            await self._offer("bounty_question", offered)

    async def _jobs(self) -> None:
        given_back = {line["jobId"] for line in self._lines(public.RELEASED.name)}
        for lines, change in self._batches(public.JOBS):
            await self.target.apply([change])
            rows = [
                (tag, line["id"], hundredths(line), TIME.back(line["deadline"]))
                for line in lines
                for tag in line["tags"]
            ]
            await self._add("job_tag", ("tag", "job_id", "amount", "deadline"), rows)
            offered: list[_Offer] = [
                (_as_hold(line), line["tags"], line["requirements"], _terms(line))
                for line in lines
                if line["status"] == "OPEN" and not line["removedAt"]
                if not (line["id"] in given_back and _terms(line).offered_to)
            ]
            await self._offer("job", offered)

    async def _offer(self, kind: str, offered: list[_Offer]) -> None:
        """Put open jobs or bounties into the feeds, with the words by which they are found."""
        columns = ("id", "type", "author_id", "amount", "created_at", "expires_at")
        promised = ("on_silence", "assignment", "review_ms", "offered_to")
        rows = [
            (
                hold["subjectId"],
                kind,
                hold["agentId"],
                hundredths(hold),
                TIME.back(hold["createdAt"]),
                TIME.back(hold["expiresAt"]),
                *(getattr(terms, name, None) for name in promised),
                terms and kept_requirements(terms),
            )
            for hold, _, _, terms in offered
        ]
        await self._add("opportunity", (*columns, *promised, "requires"), rows)
        terms = [
            (term, is_tag, kind, hundredths(hold), TIME.back(hold["createdAt"]), hold["subjectId"])
            for hold, tags, requirements, _ in offered
            for term, is_tag in sorted(
                {(tag, 1) for tag in tags}
                | {(normalise_capability(label), 0) for label in requirements}
            )
        ]
        await self._add("opportunity_term", _TABLES["opportunity_term"].key, terms)
        labels = sorted({(term, subject_id) for term, *_, subject_id in terms})
        words = [(word, one, label) for label, one in labels for word in offered_words(label)]
        await self._add("opportunity_word", _TABLES["opportunity_word"].key, words)

    async def _posts(self) -> None:
        """Number the texts for searches, each thread's behind those of the threads before it."""
        numbered = ((number, *post) for number, post in enumerate(self._texts(), 1))
        await self._add("post", ("id", "thread_id", "reply_id"), numbered)

    def _texts(self) -> Iterator[tuple[str, str | None]]:
        replies = self._lines(public.REPLIES.name)
        reply = next(replies, None)
        for thread in self._lines(public.THREADS.name):
            yield thread["id"], None
            while reply and reply["threadId"] == thread["id"]:
                yield thread["id"], reply["id"]
                reply = next(replies, None)

    async def _first_posts(self) -> None:
        """Note the first post of each agent; ids sort by creation, whatever stands before them."""
        first: dict[str, tuple[str, str]] = {}
        for file in (public.THREADS, public.REPLIES):
            for line in self._lines(file.name):
                agent, post = line["authorAgentId"], line["id"]
                found = (post.rpartition("_")[2], post)
                first[agent] = min(first.get(agent, found), found)
        rows: list[Row] = [(agent, post) for agent, (_, post) in first.items()]
        for some in in_pieces(rows, self.batch):
            change = TableUpdate(_TABLES["agent"], ("id", "first_post_id"), [], some, [])
            await self.target.apply([change])

    async def _records(self) -> None:
        """Count for the records of agents what has happened."""
        tx, (first, last) = self.target.tx, audit.EVERYTHING
        kept = await tx.all("audit.recounted_durations")
        durations = {(row[0], row[1]): row[2] for row in kept}
        counted = await tx.all("audit.recounted", first=first, last=last)
        rows = [(*row, durations.get((row[0], row[1]), "")) for row in counted]
        await self._add("record", ("agent_id", "kind", "outcome", "number", "durations"), rows)

    async def _events(self) -> None:
        """What happened to jobs. A claim has a receipt, by which its repetition is known."""
        for lines, change in self._batches(public.JOB_EVENTS):
            await self.target.apply([change])
            receipts = [_claim_receipt(line) for line in lines if line["event"] == "claimed"]
            await self._add("receipt", _CLAIM_RECEIPT, receipts)

    async def _log(self) -> None:
        """An export has no events, so every cursor of where it was made is expired."""
        begun = ("event", self.target.tx.now // limits.SECOND_MS, 0)
        await self._add("event_log_state", ("name", "epoch", "deleted"), [begun])


def _is_offered(hold: ExportLine) -> bool:
    return hold["type"] == "bounty" and hold["status"] == "OPEN"


def _as_hold(job: ExportLine) -> ExportLine:
    """An open job as its hold travels."""
    places = {"subjectId": "id", "agentId": "creatorAgentId", "expiresAt": "deadline"}
    return job | {name: job[other] for name, other in places.items()}


def _terms(job: ExportLine) -> WorkTerms:
    """What the creator of a job promised."""
    given = job["terms"]
    return NO_TERMS if given is None else read_terms(OBJECT.back(given))


def _claim_receipt(event: ExportLine) -> Row:
    at = TIME.back(event["at"])
    random = int.from_bytes(sha256(f"{event['jobId']}{event['agentId']}".encode()).digest()[:10])
    receipt_id = f"rc_{encode_ulid(at, random)}"
    return (receipt_id, "claim_job", "job", event["jobId"], event["agentId"], at)
