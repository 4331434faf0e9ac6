"""Which cached answers a change makes stale, by the statements that ran.

SQLite says which tables and columns a statement reads and changes (`engines/sqlite/access.py`).

Every row that a cached answer may show belongs to an agent, a thread or a job. A statement about
the rows of one owner names it by a parameter of that owner's name (`:thread_id`), one about those
of several by a JSON array (`:thread_ids`). A change is recorded under its owner and its statement.
An answer depends on the owners that its statements named. If a statement named none, the answer
depends on every change that the statement could see, of any owner.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from stoa.store import statements
from stoa.store.engines.sqlite.access import TableAccess, Verb, accesses
from stoa.store.tx import Statement, json_texts

OWNERS: dict[str, tuple[str, ...]] = {
    "agent": ("agent_id",),
    "agent_capability": ("agent_id",),
    "agent_word": ("agent_id",),
    "key_change": ("agent_id",),
    "token": ("agent_id",),
    "reputation_event": ("agent_id",),
    "record": ("agent_id",),
    "thread": ("thread_id",),
    "thread_tag": ("thread_id",),
    "thread_moved": ("thread_id",),
    "reply": ("thread_id",),
    "post": ("thread_id",),
    "job": ("job_id",),
    "job_tag": ("job_id",),
    "job_event": ("job_id",),
    "job_message": ("job_id",),
    "submission": ("job_id",),
    "released_claim": ("job_id",),
    "hold": ("subject_id", "thread_id", "job_id"),
    "opportunity": ("subject_id", "job_id"),
    "opportunity_term": ("subject_id", "job_id"),
    "opportunity_word": ("subject_id", "job_id"),
    "addition": ("subject_id", "thread_id", "job_id"),
}
"""The tables that cached answers are made of, each with the parameters that name the owner of a
row."""

EVENTUALLY_CONSISTENT = {
    "agent": {"last_seen_at", "reputation", "standing", "looks_like", "skeleton"},
    "agent_capability": {"reputation", "standing"},
}
"""Columns that may be a minute old where an agent is embedded in the answer about something else.
An answer about agents shows the newest values."""

APART = {"record"}
"""Tables whose rows belong to an agent and change often: values that depend on the agent alone,
such as its tokens, stay valid when they do."""

EMBEDS = {"agents.many"}
"""Statements that read agents in order to embed them."""

TIME = "time"
"""The dependency of an answer if a statement was given the time: it may find other rows when a
deadline passes."""

_EVENTUAL = " eventual"
"""Added to an id: the key for changes that touch only eventually consistent columns, or tables
`APART`."""

UNSEEN = {
    "sessions.forget_tokens",
    "sessions.note_used",
    "threads.catch_up",
    "threads.forget_moved",
}
"""Statements that change nothing that a cached answer shows. `threads.catch_up` and `forget_moved`
bring the rows of tags up to date, which lists by tag show as up to date already."""

LOG = "log"
"""The key of each new row of the event log."""
_LOGGING = {"events.insert", "events.mark"}

FOUND_BY_ID = {"agent": ("threads.", "replies.", "agents.many"), "hold": ("threads.",)}
"""Tables whose rows these statements, given by the beginning of their names, find by an id alone.
A new row has a new id, so an insert cannot change what such a statement finds."""


class TableChange(NamedTuple):
    """The change of a statement, with the parameter that names the owner. `columns` are those that
    it sets in existing rows, unless it also `adds` or removes rows. `eventual` says that it changes
    only eventually consistent columns."""

    table: str
    owner: str
    adds: bool
    columns: frozenset[str] | None
    eventual: bool


class Reading(NamedTuple):
    """The dependencies of an answer on a statement, by the parameters that name owners: `one` id or
    `many`. For those in `seen` and `seen_many` changes of eventually consistent columns count too.
    `changes` are changing statements, or `TIME`. A `private` statement reads a table that no answer
    may show."""

    one: tuple[str, ...]
    many: tuple[str, ...]
    seen: tuple[str, ...]
    seen_many: tuple[str, ...]
    changes: frozenset[str]
    private: bool


def read_from(ran: Iterable[Statement]) -> frozenset[str] | None:
    """The dependencies of an answer that these statements read; None when it must not be cached,
    since one of them read a table whose changes are not recorded."""
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
            found.update(json_texts(str(values[owners])))
        for owners in reading.seen_many:
            found.update(eventual(json_texts(str(values[owners]))))
    return frozenset(found)


@cache
def embedding() -> frozenset[str]:
    """The dependencies of an answer with embedded agents, without eventually consistent columns."""
    return frozenset[str]().union(*(reading_of(name).changes for name in EMBEDS))


def eventual(agent_ids: Iterable[str]) -> list[str]:
    """The keys for changes of the eventually consistent columns of these agents."""
    return [agent_id + _EVENTUAL for agent_id in agent_ids]


def changed_by(ran: Iterable[Statement]) -> set[str]:
    """The changes of these statements: owners and statements, as `read_from` names them."""
    changed: set[str] = set()
    marks = _marks()
    for name, values in ran:
        if name in marks:
            owner, eventual = marks[name]
            whose: Any = values[owner]
            # Both: some answers know the owner, others only that such a statement may matter.
            changed.add(whose + _EVENTUAL if eventual else whose)
            changed.add(name)
        elif name in _LOGGING:
            changed.add(LOG)
    return changed


@cache
def _marks() -> dict[str, tuple[str, bool]]:
    """The parameter that names the owner of what a statement changes, and whether it changes only
    what is eventually consistent or `APART`, for each that changes what answers may show."""
    changes = {name: change_of(name) for name in statements.load("sqlite")}
    return {name: (change.owner, change.eventual) for name, change in changes.items() if change}


@cache
def change_of(name: str) -> TableChange | None:
    """The changes of a statement that answers may show.

    Raises `ValueError` for one that does not name the owner.
    """
    # Only SQLite: its one writer sees every change. Answers from PostgreSQL, where other servers
    # may write, are not cached by what they depend on.
    changed = [one for one in _accesses(name) if one.verb is not Verb.READ]
    tables = {one.table for one in changed} & OWNERS.keys()
    if not tables or name in UNSEEN:
        return None
    (table,) = tables  # one alone, as a change is recorded under one owner
    owner = _owner(table, _parameters(name))
    if owner is None:
        # Without an owner no answer about the row would become stale. `_changes` goes over all
        # statements, so that the first cached read shows this mistake.
        raise ValueError(f"{name} changes {table} and must name one of {OWNERS[table]}")
    verbs = {one.verb for one in changed}
    columns = frozenset(one.column for one in changed) if verbs == {Verb.UPDATE} else None
    eventual = columns is not None and columns <= EVENTUALLY_CONSISTENT.get(table, set())
    eventual = eventual or table in APART
    return TableChange(table, owner, Verb.INSERT in verbs, columns, eventual)


@cache
def reading_of(name: str) -> Reading:
    """The reads of a statement, of the engine whose answers are cached."""
    columns: dict[str, set[str]] = {}
    for one in _accesses(name):
        if one.verb is Verb.READ:
            columns.setdefault(one.table, set()).add(one.column)
    parameters, owned = _parameters(name), OWNERS.keys() & columns
    one = {table: owner for table in owned if (owner := _owner(table, parameters))}
    many = {table: f"{owner}s" for table in owned if (owner := _owner(table, parameters, "s"))}
    # An answer about the owner itself shows the newest values, also those that change often.
    seen = {
        owner
        for table, owner in one.items()
        if table in APART or columns[table] & EVENTUALLY_CONSISTENT.get(table, set())
    }
    seen_many = {owners for table, owners in many.items() if table in APART}
    rest = owned - one.keys() - many.keys()
    return Reading(
        tuple(set(one.values())),
        tuple(set(many.values())),
        tuple(seen),
        tuple(seen_many),
        frozenset(change for table in rest for change in _seen_by(name, table, columns[table]))
        | ({TIME} if "now" in parameters else set()),
        # No change of any other table is recorded, so what shows it would never become stale.
        bool(columns.keys() - OWNERS.keys()),
    )


def _seen_by(name: str, table: str, columns: set[str]) -> list[str]:
    """The statements that change what this one reads of a table."""
    by_id = name.startswith(FOUND_BY_ID.get(table, ()))
    return [
        changing
        for changing, change in _changes(table)
        if not (change.adds and by_id)
        and not (change.eventual and name in EMBEDS)
        and (change.columns is None or change.columns & columns)
    ]


def prepare() -> None:
    """Call `change_of` for all statements. Without this the first write, or the first cached read,
    would take a tenth of a second longer."""
    _marks()


@cache
def _changes(table: str) -> list[tuple[str, TableChange]]:
    found = [(name, change_of(name)) for name in statements.load("sqlite")]
    return [(name, change) for name, change in found if change and change.table == table]


def _accesses(name: str) -> Iterable[TableAccess]:
    return accesses(statements.load("sqlite")[name])


def _parameters(name: str) -> tuple[str, ...]:
    return statements.positional(statements.load("sqlite")[name])[1]


def _owner(table: str, parameters: tuple[str, ...], plural: str = "") -> str | None:
    return next((name for name in OWNERS[table] if f"{name}{plural}" in parameters), None)
