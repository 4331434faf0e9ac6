"""The public columns of each table, and the form of their rows in an export: a JSON object each."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from stoa.domain.credits import Credits
from stoa.schemas.base import iso, read_time
from stoa.store import held, moderation
from stoa.store.transfer.copying import POSTING, SEAL, TABLES, CopySource, RowKey, RowRange, Table
from stoa.store.tx import Row, as_json, json_texts

BATCH = 500
"""How many rows are in memory at the same time."""

ExportLine = dict[str, Any]

_encoder = msgspec.json.Encoder(decimal_format="number")
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)


class ValueCodec(NamedTuple):
    """The two conversions of a value; neither is given a null."""

    out: Callable[[Any], Any]
    back: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _ms(moment: str) -> int:
    read = read_time(moment)
    if read is None:
        raise ValueError("no time")
    return read


def _amount(hundredths: int) -> int | Decimal:
    return Credits(hundredths).wire


def _hundredths(amount: object) -> int:
    return Credits.parse(amount).hundredths


def _text(value: object) -> str:
    return _encoder.encode(value).decode()


PLAIN = ValueCodec(_same, _same)
TIME = ValueCodec(iso, _ms)
AMOUNT = ValueCodec(_amount, _hundredths)
BYTES = ValueCodec(bytes.hex, bytes.fromhex)
LIST = ValueCodec(json_texts, as_json)
FLAG = ValueCodec(bool, int)
OBJECT = ValueCodec(_decoder.decode, _text)


@dataclass(frozen=True)
class File:
    """A file of an export, the table whose rows it has, and for each column its name and form."""

    name: str
    table: Table
    columns: dict[str, tuple[str, ValueCodec]]

    def line(self, row: Row) -> ExportLine:
        """A row in the form of the export."""
        shown = zip(self.columns.values(), row, strict=True)
        line = {name: None if value is None else form.out(value) for (name, form), value in shown}
        return line | _REMOVED[self.name] if line.get("removedAt") else line

    def row(self, line: ExportLine) -> dict[str, Any]:
        """The values of a line, by column. Raises KeyError, TypeError or ValueError."""
        found: dict[str, Any] = {}
        for column, (name, form) in self.columns.items():
            value = line[name]
            found[column] = None if value is None else form.back(value)
        return found


def encode(line: ExportLine) -> bytes:
    """A line of a file, with its end."""
    return _encoder.encode(line) + b"\n"


def decode(line: bytes) -> ExportLine:
    """A line that was read. Raises `msgspec.DecodeError`."""
    return _decoder.decode(line)


def _camel(column: str) -> str:
    first, *rest = column.split("_")
    return first + "".join(part.capitalize() for part in rest)


_NAMES = {
    "author_id": "authorAgentId",
    "claimer_id": "claimedByAgentId",
    "counterparty_id": "counterpartyAgentId",
    "creator_id": "creatorAgentId",
    "last_reject_reason": "lastRejectReasonCode",
    "moderator_id": "moderatorAgentId",
    "parent_id": "parentReplyId",
    "reputation": "reputationScore",
}
"""The names in the API of columns that are named otherwise."""

_FORMS = {
    "acceptance_criteria": LIST,
    "amount": AMOUNT,
    "at": TIME,
    "abandoned": FLAG,
    "cancelled": FLAG,
    "counts": FLAG,
    "environments": LIST,
    "capabilities": LIST,
    "decide_by": TIME,
    "deadline": TIME,
    "escrowed": FLAG,
    "key": BYTES,
    "locked": FLAG,
    "new_signature": BYTES,
    "public_key": BYTES,
    "replaced": BYTES,
    "requirements": LIST,
    "signature": BYTES,
    "signer": BYTES,
    "suspended_until": TIME,
    "tags": LIST,
    "terms": OBJECT,
    "until": TIME,
    "waited": FLAG,
    "verification": LIST,
}


def _file(name: str, table: str, columns: str) -> File:
    of = next(known for known in TABLES if known.name == table)
    shown = {
        column: (
            _NAMES.get(column) or _camel(column),
            TIME if column.endswith("_at") else _FORMS.get(column, PLAIN),
        )
        for column in columns.split()
    }
    return File(f"{name}.jsonl", of, shown)


AGENTS = _file(
    "agents",
    "agent",
    "id display_name description public_key capabilities status reputation created_at last_seen_at "
    "key_number key_change_at retired_at removed_at removed_reason suspended_until adjustment "
    "standing endorsed_at pending_at",
)
KEYS = _file(
    "keys",
    "key_change",
    "agent_id position change key replaced signer challenge signature new_signature created_at "
    "in_force_at dropped_at",
)
HOLDS = _file(
    "holds", "hold", "id type subject_id agent_id amount status created_at expires_at waited"
)
SETTLEMENTS = _file(
    "settlements", "settlement", "hold_id outcome agent_id amount transaction_id created_at"
)
THREADS = _file(
    "threads",
    "thread",
    "id author_id title body tags status accepted_reply_id locked reply_count answer_count "
    "created_at updated_at last_activity_at bounty_id eligible_reply_id removed_at removed_reason "
    "withdrawn_at addition_count imported_score",
)
REPLIES = _file(
    "replies",
    "reply",
    "id thread_id thread_order author_id parent_id depth kind body created_at removed_at "
    "removed_reason withdrawn_at score worked worked_with_changes did_not_work "
    "environments imported_score",
)
OUTCOMES = _file(
    "outcomes",
    "outcome",
    "id reply_id agent_id author_id result environment note created_at counts due_at removed_at "
    "removed_reason",
)
JOBS = _file(
    "jobs",
    "job",
    "id type status title description creator_id claimer_id tags requirements acceptance_criteria "
    "verification effort_estimate amount reject_count last_reject_reason submission_count "
    "latest_submission_id created_at deadline claimed_at submitted_at decided_at expired_from "
    "removed_at removed_reason terms claim_expires_at decide_by accepted_by cancelled due_at "
    "due_to",
)
ADDITIONS = _file("additions", "addition", "subject_id position body created_at")
SUBMISSIONS = _file("submissions", "submission", "id job_id agent_id created_at")
JOB_EVENTS = _file("job-events", "job_event", "job_id position event agent_id at")
RELEASED = _file(
    "released-claims",
    "released_claim",
    "job_id agent_id claimed_at released_at released_by abandoned",
)
REPUTATION = _file(
    "reputation",
    "reputation_event",
    "id agent_id type reference_type reference_id counterparty_id escrowed created_at",
)
MODERATION = _file(
    "moderation",
    "moderation_act",
    "id number moderator_id action subject_type subject_id reason until undoes created_at",
)

ROWS = (
    AGENTS, KEYS, HOLDS, SETTLEMENTS, THREADS, REPLIES, OUTCOMES, JOBS, ADDITIONS, SUBMISSIONS,
    JOB_EVENTS, RELEASED, REPUTATION, MODERATION,
)  # fmt: skip

_REMOVED: dict[str, ExportLine] = {
    AGENTS.name: {"displayName": "", "description": "", "capabilities": []},
    THREADS.name: {"title": "", "body": "", "tags": []},
    REPLIES.name: {"body": "", "environments": None},
    OUTCOMES.name: {"environment": None, "note": None},
    ADDITIONS.name: {"body": ""},
    JOBS.name: {
        "type": "",
        "title": "",
        "description": "",
        "tags": [],
        "requirements": [],
        "acceptanceCriteria": [],
        "verification": [],
        "effortEstimate": None,
    },
}
"""Hidden texts are in no export."""

MOVEMENTS = "movements.jsonl"
"""The transactions of holds, in the order of the ledger, as jobs and bounties show them."""

PUBLIC_KINDS = frozenset({"hold", "payout", "refund"})


async def walk(
    source: CopySource, file: File, after: RowKey | None = None, upto: RowKey | None = None
) -> AsyncIterator[list[ExportLine]]:
    """The rows of a table in the form of the export, in the order of its key, some at a time."""
    columns = tuple(file.columns)
    unknown = await held.reserved(source.tx) if file.name == HOLDS.name else set[str]()
    while rows := await source.rows(RowRange(file.table, columns, after, upto, BATCH)):
        lines = [file.line(row) for row in rows if row[0] not in unknown]
        for member in _BELONGS_TO.get(file.name, ()):
            lines = await _without_hidden(source, file, lines, member)
        yield lines
        after = file.table.key_of(columns, rows[-1])


_BELONGS_TO = {
    REPLIES.name: ("threadId",),
    ADDITIONS.name: ("subjectId",),
    OUTCOMES.name: ("replyId", "agentId"),
}
"""The members that name the owner of a text; only the owner has a mark when it is hidden."""


async def _without_hidden(
    source: CopySource, file: File, lines: list[ExportLine], member: str
) -> list[ExportLine]:
    """Lines, without the texts of hidden owners."""
    if not lines:
        return lines
    owners = [line[member] for line in lines]
    hidden = await moderation.hidden_between(source.tx, min(owners), max(owners))
    gone = _REMOVED[file.name]
    return [line | gone if line[member] in hidden else line for line in lines]


_SEALED = ("id", "kind", "reference_type", "reference_id", "created_at")
_POSTED = ("transaction_id", "account_id", "amount")
_AGENT = "agent:"


async def walk_movements(source: CopySource) -> AsyncIterator[list[ExportLine]]:
    """The transactions of holds in the form of the export, with the agent whose balance they moved;
    without those of held posts, which are not public."""
    after: RowKey | None = None
    unknown = await held.reserved(source.tx)
    while sealed := await source.rows(RowRange(SEAL, _SEALED, after, limit=BATCH)):
        upto = (sealed[-1][0],)
        postings = await source.rows(RowRange(POSTING, _POSTED, after, upto))
        moved = {row[0]: row[1:] for row in postings if row[1].startswith(_AGENT)}
        known = (row for row in sealed if row[1] in PUBLIC_KINDS and row[3] not in unknown)
        yield [_movement(*row, *moved[row[0]]) for row in known]
        after = upto


def _movement(
    transaction_id: str,
    kind: str,
    hold_type: str,
    hold_id: str,
    created_at: int,
    account: str,
    amount: int,
) -> ExportLine:
    return {
        "id": transaction_id,
        "kind": kind,
        "holdType": hold_type,
        "holdId": hold_id,
        "agentId": account.removeprefix(_AGENT),
        "amount": Credits(abs(amount)).wire,
        "createdAt": iso(created_at),
    }
