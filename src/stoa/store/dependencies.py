"""Which answers a change makes out of date, read off the statements that ran.

Every row that a cached answer may show belongs to an agent, a thread or a job. A statement that is
about the rows of one owner names it by a parameter of that owner's name (`:thread_id`). A change
marks its owner and its table. An answer depends on the owners that its statements named and, where
a statement named none, on the whole table.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from stoa.store import statements
from stoa.store.tx import Statement

OWNERS: dict[str, tuple[str, ...]] = {
    "agent": ("agent_id",),
    "agent_capability": ("agent_id",),
    "token": ("agent_id",),
    "thread": ("thread_id",),
    "thread_tag": ("thread_id",),
    "reply": ("thread_id",),
    "job": ("job_id",),
    "job_tag": ("job_id",),
    "job_event": ("job_id",),
    "submission": ("job_id",),
    "hold": ("subject_id", "thread_id", "job_id"),
}
"""The tables that cached answers show, or decide whose they are, and the parameters that name the
owner of a row."""

SHOWN_LATE = {
    "agent": {"last_seen_at", "reputation"},
    "agent_capability": {"reputation"},
    "token": {"last_used_at"},
}
"""Columns that a cached answer may show as they were up to a minute ago."""

UNSEEN = {"sessions.forget_tokens"}
"""Statements that change only what is shown no more."""

_CHANGE = re.compile(r"\b(INSERT|UPDATE|DELETE)\s+(?:INTO\s+|FROM\s+)?(\w+)")
_SET = re.compile(r"\bSET\b(.*?)(?:\bWHERE\b|\bFROM\b|$)", re.DOTALL)
_COLUMN = re.compile(r"(?:^|,)\s*(\w+)\s*=")
_TABLE = re.compile(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", re.MULTILINE)


class Effect(NamedTuple):
    """What a statement has to do with answers: the table that it changes, with the parameter that
    names the owner, and such pairs of those that it reads; `private` tables are never shown."""

    changes: tuple[str, str] | None
    reads: tuple[tuple[str, str | None], ...]
    private: bool


def read_from(ran: Iterable[Statement]) -> frozenset[str] | None:
    """What an answer depends on that these statements read; None when it must not be cached, since
    one of them read a table whose changes are not marked."""
    found: set[str] = set()
    for name, values in ran:
        effect = effect_of(name)
        if effect.private:
            return None
        for table, owner in effect.reads:
            found.add(table if owner is None else str(values[owner]))
    return frozenset(found)


def changed_by(ran: Iterable[Statement]) -> list[str]:
    """What these statements changed: owners and tables, as `read_from` names them."""
    changed: list[str] = []
    for name, values in ran:
        change = effect_of(name).changes
        if change:
            table, owner = change
            changed += (str(values[owner]), table) if table else (str(values[owner]),)
    return changed


@cache
def effect_of(name: str) -> Effect:
    """The effect of a statement of the engine whose answers are cached.

    Raises `ValueError` for one that changes what answers show and does not name the owner.
    """
    sql = statements.load("sqlite")[name]
    words = set(re.findall(r"\w+", sql))
    parameters = statements.positional(sql)[1]
    reads = tuple((table, _owner(table, parameters)) for table in OWNERS if table in words)
    return Effect(_change(name, sql, parameters), reads, not words.isdisjoint(_private()))


def _change(name: str, sql: str, parameters: tuple[str, ...]) -> tuple[str, str] | None:
    found = _CHANGE.search(sql)
    if found is None or found[2] not in OWNERS or name in UNSEEN:
        return None
    verb, table = found[1], found[2]
    if verb == "UPDATE" and _columns(sql) <= SHOWN_LATE.get(table, set()):
        return None
    owner = _owner(table, parameters)
    if owner is None:
        raise ValueError(f"{name} changes {table} and must name one of {OWNERS[table]}")
    # No cached answer lists agents, as lists of agents show when they were last seen.
    return ("" if (verb, table) == ("INSERT", "agent") else table), owner


def _columns(sql: str) -> set[str]:
    found = _SET.search(sql)
    return set(_COLUMN.findall(found[1])) if found else set()


def _owner(table: str, parameters: tuple[str, ...]) -> str | None:
    return next((name for name in OWNERS[table] if name in parameters), None)


@cache
def _private() -> frozenset[str]:
    """The tables that no cached answer may show."""
    schema = (files("stoa.store") / "schema" / "sqlite.sql").read_text(encoding="utf-8")
    return frozenset(_TABLE.findall(schema)) - OWNERS.keys()
