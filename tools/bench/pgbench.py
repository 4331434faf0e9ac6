"""The yardstick for PostgreSQL: `pgbench` repeats what a Stoa was seen to send for one job.

The server logs one whole cycle. Each statement becomes one of the script, with the same text and
the same values, but for what differs from cycle to cycle: ids, times and who acts.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from statistics import mean
from typing import Any

from tools.bench.scale.cluster import Cluster

LOG = """
logging_collector = on
log_destination = 'jsonlog'
log_directory = 'statements'
log_rotation_size = 0
log_rotation_age = 0
"""
"""What a server must be configured with for `logged`."""

AGENTS = """
CREATE TABLE bench_agent AS
SELECT row_number() OVER () AS n, a.id, '\\x' || encode(t.hash, 'hex') AS hash
FROM agent a JOIN token t ON t.agent_id = a.id;
ALTER TABLE bench_agent ADD PRIMARY KEY (n);
CREATE SEQUENCE bench_id CACHE 100;
ANALYZE
"""
"""What the script needs in a database: its agents by number, and numbers for ids."""

_WARM_UP_S = 2  # in which every connection prepares every statement
_VALUE = re.compile(r"\$\d+ = (NULL|'(?:[^']|'')*')")
_ID = re.compile(r"\b([a-z]+_)([0-9a-z]{26})\b")
_NUMBER = re.compile(r"\$(\d+)")
_VARIABLE = re.compile(r"(?<!:):(?=\w)")  # as pgbench reads them, in texts too
_PROGRESS = re.compile(r"progress: \S+ s, (\S+) tps, .*, (\d+) failed")
_A_TIME = 1_000_000_000_000  # ms
_IDS = "(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now{ids}) i"
_NEXT = ", lpad(nextval('bench_id')::text, 24, '0') AS n{place}"


class YardstickFailed(Exception):
    """A yardstick did not do what was recorded; the message says how."""


@dataclass(frozen=True)
class Statement:
    """What a session was sent in one message and when, with its values as texts."""

    session: str
    at: str
    sql: str
    values: tuple[str | None, ...] = ()


def logged(folder: Path) -> Iterator[Statement]:
    """Every statement in the log of a server that runs in `folder`, session by session."""
    lines: list[dict[str, Any]] = []
    for file in (folder / "postgresql" / "statements").glob("*.json"):
        lines += map(json.loads, file.read_text(encoding="utf-8").splitlines())
    for line in sorted(lines, key=lambda line: (line["session_id"], line["line_num"])):
        kind, _, sql = line["message"].partition(": ")
        if kind == "statement" or kind.startswith("execute "):
            yield Statement(
                line["session_id"], line["timestamp"], sql, _values(line.get("detail", ""))
            )


def _values(detail: str) -> tuple[str | None, ...]:
    texts = _VALUE.findall(detail)
    return tuple(None if text == "NULL" else text[1:-1].replace("''", "'") for text in texts)


def about(statements: Iterable[Statement], job_id: str) -> list[Statement]:
    """The transactions that name a job, as they were committed, each with the look-up of the
    caller's token before it. What else the session did before may be older than other commits."""
    groups = sorted(_groups(statements, job_id), key=lambda group: group[-1].at)
    return [statement for group in groups for statement in group]


def _groups(statements: Iterable[Statement], job_id: str) -> Iterator[list[Statement]]:
    for _, of_session in groupby(statements, attrgetter("session")):
        group: list[Statement] = []
        for statement in of_session:
            group.append(statement)
            if statement.sql.endswith(("COMMIT", "ROLLBACK")):
                if any(job_id in str(value) for one in group for value in one.values):
                    yield group
                group = []


class Values:
    """What stands in other cycles in the place of recorded values.

    `creator` and `worker` are whose job was recorded, each the id of an agent and the hash of its
    token; `agents` is how many there are.
    """

    def __init__(self, creator: tuple[str, bytes], worker: tuple[str, bytes], agents: int) -> None:
        self._known: dict[str, str] = {}
        for table, (agent_id, digest) in (("c", creator), ("w", worker)):
            self._known |= {agent_id: f"{table}.id", f"\\x{digest.hex()}": f"{table}.hash"}
        self._agents = agents
        self._names: dict[str, str] = {}
        self._ids: dict[str, int] = {}
        self._now: int | None = None

    def script(self, statements: Iterable[Statement]) -> str:
        """The statements, for any agents. The first makes the values of this cycle; it is the only
        one that was not recorded."""
        lines = [line for statement in statements for line in self._lines(statement)]
        values = ", ".join(f"{self._made(value)} AS {name}" for value, name in self._names.items())
        ids = "".join(_NEXT.format(place=place) for place in self._ids.values())
        head = [
            rf"\set creator random(1, {self._agents})",
            rf"\set worker 1 + :creator % {self._agents}",
            f"SELECT {values}",
            f"FROM bench_agent c, bench_agent w, {_IDS.format(ids=ids)}",
            r"WHERE c.n = :creator AND w.n = :worker \gset",
        ]
        return "\n".join([*head, *lines, ""])

    def _lines(self, statement: Statement) -> list[str]:
        if _VARIABLE.search(statement.sql):
            raise YardstickFailed(f"pgbench would find a variable in {statement.sql}")
        if statement.values:
            return [self._named(statement) + ";"]
        parts = [f"{part.strip()};" for part in statement.sql.split(";")]
        if len(parts) == 1:
            return parts
        return [r"\startpipeline", *parts, r"\endpipeline"]  # they came in one message

    def _named(self, statement: Statement) -> str:
        def name(found: re.Match[str]) -> str:
            value = statement.values[int(found[1]) - 1]
            if value is None:
                return "NULL"
            return ":" + self._names.setdefault(value, f"v{len(self._names)}")

        return _NUMBER.sub(name, statement.sql)

    def _made(self, value: str) -> str:
        """SQL for a value of this cycle in the place of a recorded one."""
        if value in self._known:
            return self._known[value]
        if value.isdecimal() and int(value) > _A_TIME:
            self._now = self._now or int(value)
            return f"i.now + {int(value) - self._now}"
        texts = _ID.split(value)
        parts = [_quoted(texts[0])]
        for prefix, rest, text in zip(texts[1::3], texts[2::3], texts[3::3], strict=True):
            parts += [self._id(prefix + rest, prefix), _quoted(text)]
        return " || ".join(parts)

    def _id(self, recorded: str, prefix: str) -> str:
        if recorded in self._known:
            return self._known[recorded]
        place = self._ids.setdefault(recorded, len(self._ids))
        return f"'{prefix}01' || i.n{place}"


def _quoted(text: str) -> str:
    quoted = text.replace("'", "''")
    return "'" + _VARIABLE.sub(":' || '", quoted) + "'"


@dataclass(frozen=True)
class Script:
    """What `pgbench` is to repeat, and on which database."""

    cluster: Cluster
    database: str
    text: str

    def cycles_a_second(self, connections: int, seconds: float) -> float:
        """How often it is done in a second, once its statements are prepared."""
        wanted = max(1, round(seconds))
        command = [self.cluster.programs / "pgbench", "-n", "-M", "prepared", "-j", "2", "-f", "-"]
        command += ["-c", str(connections), "-T", str(_WARM_UP_S + wanted), "-P", "1"]
        command += ["-h", self.cluster.sockets, "-U", "postgres", self.database]
        done = subprocess.run(command, input=self.text, capture_output=True, text=True, check=False)
        seen = _PROGRESS.findall(done.stderr)[_WARM_UP_S : _WARM_UP_S + wanted]
        if done.returncode or not seen or any(int(failed) for _, failed in seen):
            raise YardstickFailed(done.stderr)
        return mean(float(cycles) for cycles, _ in seen)
