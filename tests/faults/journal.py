"""What clients were told, written down as it happened, and the check of it against what is kept."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import apsw

Kind = Literal["thread", "reply", "accept"]
Outcome = Literal["asked", "ok", "failed"]


class Entry(NamedTuple):
    """A line of the journal. `mark` is unique to a write; `id` is what the server called it."""

    mark: str
    kind: Kind
    outcome: Outcome
    id: str = ""


class Journal:
    """Lines are only ever added. A write that was asked for and has no further line is unknown."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._marks = 0
        self.acknowledged = 0

    def ask(self, kind: Kind, mark: str = "") -> str:
        """Note a write before it is sent; returns its mark."""
        self._marks += 1
        mark = mark or f"{kind} {self._marks}"
        self._add(Entry(mark, kind, "asked"))
        return mark

    def told(self, mark: str, kind: Kind, outcome: Outcome, id_: str = "") -> None:
        """Note what the server said to it."""
        self._add(Entry(mark, kind, outcome, id_))
        self.acknowledged += outcome == "ok"

    def _add(self, entry: Entry) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def entries(self) -> list[Entry]:
        """Every line."""
        with self._path.open(encoding="utf-8") as lines:
            return [Entry(*json.loads(line)) for line in lines]


@dataclass
class Kept:
    """What is there, as `(mark, id)`: titles of threads, bodies of replies, accepted replies."""

    thread: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    reply: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    accept: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def kept_in(path: Path) -> Kept:
    """What a database holds, read beside its server."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA query_only = ON")
    kept = Kept(
        connection.execute("SELECT title, id FROM thread").fetchall(),
        connection.execute("SELECT body, id FROM reply").fetchall(),
        connection.execute(
            "SELECT id, accepted_reply_id FROM thread WHERE accepted_reply_id IS NOT NULL"
        ).fetchall(),
    )
    connection.close()
    return kept


def problems(entries: list[Entry], kept: Kept) -> list[str]:
    """Where what is kept differs from what clients were told: every acknowledged write must be
    there once and as it was told, every refused one absent, an unknown one there once at most."""
    found: list[str] = []
    for kind in ("thread", "reply", "accept"):
        there = getattr(kept, kind)
        counts = Counter(mark for mark, _ in there)
        ids = dict(there)
        last = {entry.mark: entry for entry in entries if entry.kind == kind}
        for mark, entry in last.items():
            if counts[mark] > 1:
                found.append(f"{mark}: {counts[mark]} times")
            elif entry.outcome == "ok" and ids.get(mark) != entry.id:
                found.append(f"{mark}: acknowledged as {entry.id}, there is {ids.get(mark)}")
            elif entry.outcome == "failed" and mark in counts:
                found.append(f"{mark}: refused, and there")
        found += [f"{mark}: nobody asked for it" for mark in counts if mark not in last]
    return found
