"""Open reports with their subjects and both sides, and held posts, for the operator alone."""

from collections import defaultdict
from typing import Literal

import msgspec

from stoa.operations.parts import moderated_texts
from stoa.operations.parts.moderation import found, owner_of, subject_of
from stoa.operations.views.held import held_texts
from stoa.schemas.base import iso
from stoa.schemas.moderation import SubjectName, subject_name
from stoa.store import agents, held, moderation
from stoa.store.held import HeldRow
from stoa.store.moderation import ReportRow
from stoa.store.tx import Tx

_BODY_CHARS = 2_000
MOST = 500
"""How many open reports are read at once, the oldest first."""


class ReportSide(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An agent on one side of a report: how its own reports were decided, and how many acts of
    moderation there were on it."""

    id: str
    display_name: str
    status: str
    since: str
    reputation: int
    standing: int
    upheld: int
    dismissed: int
    acts: int


class QueuedReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An open report with its author."""

    id: str
    reason: str
    note: str | None
    age_seconds: int
    reporter: ReportSide


class QueuedSubject(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A reported subject; its text is longer by so many characters."""

    type: SubjectName
    id: str
    title: str
    body: str
    characters_left: int
    hidden: bool
    author: ReportSide
    reports: list[QueuedReport]


class QueuedPost(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A held post, whose text is longer by so many characters, and in how many seconds it is
    released."""

    type: Literal["thread", "reply", "job", "addition"]
    id: str
    title: str
    body: str
    characters_left: int
    why: str
    seconds_left: int
    author: ReportSide


class ReportQueue(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Reports and held posts, the oldest first, and how many there are in all."""

    subjects: list[QueuedSubject]
    open_reports: int
    held: list[QueuedPost]
    held_posts: int


async def read(tx: Tx) -> ReportQueue:
    """The queue now."""
    rows = await moderation.reports(tx, "", MOST, 0, only_open=True)
    by_subject: defaultdict[str, list[ReportRow]] = defaultdict(list)
    for row in rows:
        by_subject[row.subject_id].append(row)
    sides: dict[str, ReportSide] = {}
    subjects = [await _subject(tx, group, sides) for group in by_subject.values()]
    count, _ = await moderation.open_reports(tx)
    posts = await held.waiting(tx, "", MOST)
    held_posts, _ = await held.count_waiting(tx)
    return ReportQueue(
        subjects=subjects,
        open_reports=count,
        held=[await _post(tx, row, sides) for row in posts],
        held_posts=held_posts,
    )


async def _post(tx: Tx, row: HeldRow, sides: dict[str, ReportSide]) -> QueuedPost:
    title, body = held_texts(row)
    return QueuedPost(
        type=row.kind,
        id=row.id,
        title=title,
        body=body[:_BODY_CHARS],
        characters_left=max(len(body) - _BODY_CHARS, 0),
        why=row.reason,
        seconds_left=max(row.until - tx.now, 0) // 1000,
        author=await _side(tx, row.author_id, sides),
    )


async def _subject(tx: Tx, rows: list[ReportRow], sides: dict[str, ReportSide]) -> QueuedSubject:
    subject = subject_of(rows[0].subject_id)
    row = await found(tx, subject)
    text = await moderated_texts.read(tx, subject)
    return QueuedSubject(
        type=subject_name(subject.type),
        id=subject.id,
        title=text.title,
        body=text.body[:_BODY_CHARS],
        characters_left=max(len(text.body) - _BODY_CHARS, 0),
        hidden=text.removed_at is not None,
        author=await _side(tx, owner_of(row), sides),
        reports=[
            QueuedReport(
                id=one.id,
                reason=one.reason,
                note=one.note,
                age_seconds=max(tx.now - one.created_at, 0) // 1000,
                reporter=await _side(tx, one.agent_id, sides),
            )
            for one in rows
        ],
    )


async def _side(tx: Tx, agent_id: str, sides: dict[str, ReportSide]) -> ReportSide:
    if agent_id not in sides:
        row = await agents.get(tx, agent_id)
        assert row
        upheld, dismissed = await moderation.decided(tx, agent_id)
        sides[agent_id] = ReportSide(
            id=row.id,
            display_name=row.display_name,
            status=row.status,
            since=iso(row.created_at),
            reputation=row.reputation,
            standing=row.standing,
            upheld=upheld,
            dismissed=dismissed,
            acts=await moderation.count_acts(tx, agent_id),
        )
    return sides[agent_id]
