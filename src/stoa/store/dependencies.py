"""Which answers a change makes out of date, read off the statements that ran.

Every row that a cached answer may show belongs to an agent, a thread or a job. A statement that is
about the rows of one owner names it by a parameter of that owner's name (`:thread_id`), one about
those of several by a JSON array (`:thread_ids`). A change is recorded under its owner and its
statement. An answer depends on the owners that its statements named. Where a statement named none,
the answer depends on every change that the statement could see, of any owner.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from stoa.store import statements
from stoa.store.tx import Statement

OWNERS: dict[str, tuple[str, ...]] = {
    "agent": ("agent_id",),
    "agent_capability": ("agent_id",),
    "key_change": ("agent_id",),
    "token": ("agent_id",),
    "reputation_event": ("agent_id",),
    "thread": ("thread_id",),
    "thread_tag": ("thread_id",),
    "thread_moved": ("thread_id",),
    "reply": ("thread_id",),
    "post": ("thread_id",),
    "job": ("job_id",),
    "job_tag": ("job_id",),
    "job_event": ("job_id",),
    "submission": ("job_id",),
    "hold": ("subject_id", "thread_id", "job_id"),
    "opportunity": ("subject_id",),
    "opportunity_term": ("subject_id",),
}
"""The tables that cached answers show, or decide whose they are, and the parameters that name the
owner of a row."""

EVENTUALLY_CONSISTENT = {
    "agent": {"last_seen_at", "reputation"},
    "agent_capability": {"reputation"},
}
"""Columns that may be a minute old where an agent is embedded in the answer about something else.
An answer about agents shows the newest values."""

EMBEDS = {"agents.many"}
"""Statements that read agents in order to embed them."""

TIME = "time"
"""What an answer depends on if a statement was given the time: it may find other rows when a
deadline passes."""

_EVENTUAL = " eventual"
"""With an id in front: the key for changes of eventually consistent columns alone."""

UNSEEN = {
    "sessions.forget_tokens",
    "sessions.note_used",
    "threads.catch_up",
    "threads.forget_moved",
}
"""Statements that change only what no cached answer shows. Lists by tag are the same before and
after the tags of a thread have caught up with it."""

_CHANGE = re.compile(r"\b(INSERT|UPDATE|DELETE)\s+(?:INTO\s+|FROM\s+)?(\w+)")
_SET = re.compile(r"\bSET\b(.*?)(?:\bWHERE\b|\bFROM\b|$)", re.DOTALL)
_COLUMN = re.compile(r"(?:^|,)\s*(\w+)\s*=")
_TABLE = re.compile(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", re.MULTILINE)
# How a statement finds rows by ids that stand in other rows or were given to it.
_BY_ID = (
    r"\bJOIN {0} (\w+) ON \1\.id = |\bFROM {0} (\w+) WHERE \2\.id IN \(SELECT value FROM json_each"
)


class TableChange(NamedTuple):
    """What a statement changes, with the parameter that names the owner. `columns` are those that
    an UPDATE sets. `eventual` says that all of them are eventually consistent."""

    verb: str
    table: str
    owner: str
    columns: frozenset[str]
    eventual: bool


class Reading(NamedTuple):
    """What an answer depends on because of a statement: the owners that these parameters name, one
    or many (for those in `seen` also changes of eventually consistent columns), and these changing
    statements or `TIME`. A `private` statement reads a table that no answer may show."""

    one: tuple[str, ...]
    many: tuple[str, ...]
    seen: tuple[str, ...]
    changes: frozenset[str]
    private: bool


def read_from(ran: Iterable[Statement]) -> frozenset[str] | None:
    """What an answer depends on that these statements read; None when it must not be cached, since
    one of them read a table whose changes are not recorded."""
    found: set[str] = set()
    for name, values in ran:
        reading = reading_of(name)
        if reading.private:
            return None
        found |= reading.changes
        for owner in reading.one:
            found.add(str(values[owner]))
        for owner in reading.seen:
            found.add(f"{values[owner]}{_EVENTUAL}")
        for owners in reading.many:
            found.update(msgspec.json.decode(str(values[owners]), type=list[str]))
    return frozenset(found)


@cache
def embedding() -> frozenset[str]:
    """What an answer with embedded agents depends on, without eventually consistent columns."""
    return frozenset[str]().union(*(reading_of(name).changes for name in EMBEDS))


def eventual(agent_ids: Iterable[str]) -> list[str]:
    """The keys for changes of the eventually consistent columns of these agents."""
    return [agent_id + _EVENTUAL for agent_id in agent_ids]


def changed_by(ran: Iterable[Statement]) -> set[str]:
    """What these statements changed: owners and statements, as `read_from` names them."""
    changed: set[str] = set()
    for name, values in ran:
        marked = _marked_by(name)
        if marked is not None:
            owner, eventual = marked
            # Both: some answers know the owner, others only that such a statement may matter.
            changed.add(f"{values[owner]}{eventual}")
            changed.add(name)
    return changed


@cache
def _marked_by(name: str) -> tuple[str, str] | None:
    """The parameter that names the owner of what a statement changes, and what stands behind it in
    the key of the change."""
    change = change_of(name)
    return change and (change.owner, _EVENTUAL if change.eventual else "")


@cache
def change_of(name: str) -> TableChange | None:
    """What a statement changes that answers may show.

    Raises `ValueError` for one that does not name the owner.
    """
    # Only SQLite: its one writer sees every change. Answers from PostgreSQL, where other servers
    # may write, are not cached by what they depend on.
    sql = statements.load("sqlite")[name]
    found = _CHANGE.search(sql)
    if found is None or found[2] not in OWNERS or name in UNSEEN:
        return None
    verb, table = found[1], found[2]
    owner = _owner(table, _parameters(sql))
    if owner is None:
        # Without an owner no answer about the row would become stale. `_changes` goes over all
        # statements, so that the first cached read shows this mistake.
        raise ValueError(f"{name} changes {table} and must name one of {OWNERS[table]}")
    columns = _columns(sql) if verb == "UPDATE" else frozenset[str]()
    eventual = verb == "UPDATE" and columns <= EVENTUALLY_CONSISTENT.get(table, set())
    return TableChange(verb, table, owner, columns, eventual)


@cache
def reading_of(name: str) -> Reading:
    """What a statement of the engine whose answers are cached reads."""
    sql = statements.load("sqlite")[name]
    # A word that only looks like a column or table adds a needless dependency. Then an answer is
    # read once more than necessary, but none is out of date.
    words, parameters = set(re.findall(r"\w+", sql)), _parameters(sql)
    tables = [table for table in OWNERS if table in words]
    one = {table: owner for table in tables if (owner := _owner(table, parameters))}
    many = {table: owner for table in tables if (owner := _owners(table, parameters))}
    seen = {
        owner for table, owner in one.items() if words & EVENTUALLY_CONSISTENT.get(table, set())
    }
    rest = [table for table in tables if table not in {**one, **many}]
    return Reading(
        tuple(set(one.values())),
        tuple(set(many.values())),
        tuple(seen),
        frozenset(change for table in rest for change in _seen_by(name, table, words))
        | ({TIME} if "now" in parameters else set()),
        not words.isdisjoint(_private()),
    )


def _seen_by(name: str, table: str, words: set[str]) -> list[str]:
    """The statements that change what this one reads of a table."""
    sql = statements.load("sqlite")[name]
    # Rows are found by ids alone if every mention of the table is such a place. A new row has a new
    # id, so that no INSERT can add to what was found.
    by_id = len(re.findall(_BY_ID.format(table), sql)) == len(re.findall(rf"\b{table}\b", sql))
    return [
        changing
        for changing, change in _changes(table)
        if not (change.verb == "INSERT" and by_id)
        and not (change.eventual and name in EMBEDS)
        and (change.verb != "UPDATE" or change.columns & words)
    ]


@cache
def _changes(table: str) -> list[tuple[str, TableChange]]:
    found = [(name, change_of(name)) for name in statements.load("sqlite")]
    return [(name, change) for name, change in found if change and change.table == table]


def _columns(sql: str) -> frozenset[str]:
    found = _SET.search(sql)
    return frozenset(_COLUMN.findall(found[1])) if found else frozenset()


def _parameters(sql: str) -> tuple[str, ...]:
    return statements.positional(sql)[1]


def _owner(table: str, parameters: tuple[str, ...]) -> str | None:
    return next((name for name in OWNERS[table] if name in parameters), None)


def _owners(table: str, parameters: tuple[str, ...]) -> str | None:
    return next((f"{name}s" for name in OWNERS[table] if f"{name}s" in parameters), None)


@cache
def _private() -> frozenset[str]:
    """The tables that no cached answer may show."""
    schema = (Path(__file__).parent / "schema" / "sqlite.sql").read_text(encoding="utf-8")
    return frozenset(_TABLE.findall(schema)) - OWNERS.keys()
