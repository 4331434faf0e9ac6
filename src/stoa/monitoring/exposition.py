"""The metrics of a server in the format of Prometheus, for a listener of their own.

Any worker answers for all of them. What is not counted while serving is looked up for each scrape:
open holds, files, clocks. A database that does not answer leaves only its own metrics out.
"""

import asyncio
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple

from stoa import __version__
from stoa.clock import Clock, SystemClock, elapsed_ms
from stoa.domain import limits
from stoa.http import answering
from stoa.http.wire import HeaderList, Receive, Scope, Send
from stoa.metrics import SIZES, TIMES_US, AllCounters, Distribution
from stoa.outgoing.certificate import Certificate
from stoa.settings import Settings
from stoa.store import held, holds, ledger, moderation, purges, webhooks
from stoa.store.transfer import backups
from stoa.store.tx import Store, StoreUnavailable, Tx
from stoa.upkeep.loops import Upkeep

PATH = "/metrics"
_CONTENT_TYPE = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
_US = 1_000_000
_WAL_SUFFIX = "-wal"
_STORE_S = limits.SCRAPE_STORE_MS / 1000


class Metric(NamedTuple):
    """What a metric is called, and what it tells."""

    name: str
    description: str
    kind: Literal["counter", "gauge", "histogram"] = "gauge"


REQUESTS = Metric(
    "stoa_requests_total", "Answers of the main port, by operation and HTTP status.", "counter"
)
DURATIONS = Metric(
    "stoa_request_duration_seconds",
    "Time until an answer begins; one from the cache counts as the shortest.",
    "histogram",
)
LIMITED = Metric(
    "stoa_rate_limited_total", "Calls refused because a bucket is full, by bucket.", "counter"
)
WAITING = Metric("stoa_writer_queue", "Transactions that wait for the writer or for a connection.")
COMMITS = Metric("stoa_commit_duration_seconds", "Time of a commit.", "histogram")
GROUPS = Metric("stoa_commit_group_size", "Transactions committed together on SQLite.", "histogram")
WAL = Metric("stoa_wal_bytes", "Size of the write-ahead log of SQLite.")
DATABASE = Metric("stoa_database_bytes", "Size of the file of SQLite.")
FREE = Metric("stoa_disk_free_bytes", "Free space on the disk of the SQLite file.")
HOLDS = Metric("stoa_holds_open", "Bounties and jobs with credits in escrow.")
OVERDUE = Metric("stoa_holds_overdue", "Open holds past their deadline, not refunded yet.")
REPORTS = Metric("stoa_reports_open", "Reports that wait for a decision.")
REPORT_AGE = Metric("stoa_report_age_seconds", "Age of the oldest open report; 0 without one.")
HELD = Metric("stoa_held_posts", "Posts that wait for a moderator or the clock.")
HELD_AGE = Metric(
    "stoa_held_age_seconds", "Age of the oldest of them that the clock will release; 0 without one."
)
PURGE_AGE = Metric(
    "stoa_purge_age_seconds",
    "Age of the oldest purge whose texts the files may still have; 0 without one.",
)
AUDIT_AGE = Metric("stoa_audit_age_seconds", "Time since this server audited the ledger.")
DIFFERENCES = Metric("stoa_audit_differences", "Differences that the last audit found.")
STOPPED = Metric("stoa_settlements_stopped", "1 while settlements are stopped, else 0.")
LOOP_FAILURES = Metric(
    "stoa_upkeep_failures_total", "Runs of background work that failed, by loop.", "counter"
)
LOOP_AGES = Metric(
    "stoa_upkeep_success_age_seconds",
    "Time since a run of background work succeeded or the first one began, by loop.",
)
BACKUP_AGE = Metric("stoa_backup_age_seconds", "Age of the newest backup in STOA_BACKUP_DIR.")
BACKUP_FAILED = Metric("stoa_backup_failed", "1 while the last backup failed, else 0.")
WORKERS = Metric("stoa_workers", "Workers whose event loops turn.")
WORKERS_WANTED = Metric("stoa_workers_configured", "Workers that the settings ask for.")
VALKEY_AWAY = Metric("stoa_valkey_away", "Workers that Valkey does not answer.")
CLOCK_STEP = Metric(
    "stoa_clock_step_seconds", "How far the clock was set away and is not followed."
)
CONNECTIONS_USED = Metric(
    "stoa_database_connections_used", "Connections to PostgreSQL that are in use."
)
CONNECTIONS_MOST = Metric(
    "stoa_database_connections_most", "Connections to PostgreSQL that may be in use."
)
WEBHOOKS = Metric("stoa_webhooks_active", "Webhooks that events are delivered to.")
FAILING = Metric("stoa_webhooks_failing", "Those of them whose last delivery was not taken.")
CERTIFICATE = Metric(
    "stoa_certificate_seconds", "How long the certificate of STOA_BASE_URL is accepted."
)
READY = Metric("stoa_ready", "1 while /readyz answers 200, else 0.")
INFO = Metric("stoa_info", "1, with the version and the engine as labels.")

MetricLabels = Mapping[str, str | int]
MetricValue = int | float
Lines = Iterator[str]


@dataclass(frozen=True, slots=True)
class Exposition:
    """The ASGI application of the metrics' listener."""

    all_counters: AllCounters
    store: Store
    upkeep: Upkeep
    clock: Clock
    settings: Settings
    certificate: Certificate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Answer a scrape; only `GET /metrics` is one."""
        found = scope["path"] == PATH and scope["method"] in ("GET", "HEAD")
        text = await self.text() if found else f"Send GET {PATH}.\n"
        headers: HeaderList = [_CONTENT_TYPE, answering.NOSNIFF]
        head = scope["method"] == "HEAD"
        status = 200 if found else 404
        await answering.send_answer(send, status, headers, text.encode(), head=head)

    async def text(self) -> str:
        """All metrics now."""
        stored, certificate = await asyncio.gather(self._of_store(), self._of_certificate())
        parts = (
            self._of_requests(),
            self._of_commits(),
            self._of_files(),
            stored,
            certificate,
            self._of_server(),
            self._of_loops(),
        )
        return "".join(f"{line}\n" for part in parts for line in part)

    def _of_requests(self) -> Lines:
        yield from _family(
            REQUESTS,
            [
                ({"operation": name, "status": status}, number)
                for name, status, number in self.all_counters.answers()
            ],
        )
        yield from _head(DURATIONS)
        for name, found in self.all_counters.durations():
            yield from _histogram(DURATIONS, found, TIMES_US, _US, {"operation": name})
        buckets = self.all_counters.limited().items()
        yield from _family(LIMITED, [({"bucket": bucket}, number) for bucket, number in buckets])

    def _of_commits(self) -> Lines:
        yield from _head(COMMITS)
        yield from _histogram(COMMITS, self.all_counters.commit_times(), TIMES_US, _US)
        if self.settings.engine == "sqlite":
            yield from _head(GROUPS)
            yield from _histogram(GROUPS, self.all_counters.group_sizes(), SIZES)

    def _of_files(self) -> Lines:
        """What lies on the disk. A file that is not there has no size."""
        if self.settings.backup_dir:  # without a backup older than any, so that an alert fires
            age = backups.newest_age_ms(self.settings.backup_dir)
            yield from _gauge(BACKUP_AGE, inf if age is None else age / 1000)
            yield from _gauge(BACKUP_FAILED, int(bool(backups.failure(self.settings.backup_dir))))
        if self.settings.engine == "sqlite":
            path = self.settings.database_path
            for metric, file in ((DATABASE, path), (WAL, Path(f"{path}{_WAL_SUFFIX}"))):
                with suppress(OSError):
                    yield from _gauge(metric, file.stat().st_size)
            with suppress(OSError):
                yield from _gauge(FREE, shutil.disk_usage(path.parent).free)

    async def _of_store(self) -> list[str]:
        """What the database tells, nothing while it does not answer."""
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(_STORE_S):
                return await self.store.read(_stored, slow=True)
        return []

    async def _of_certificate(self) -> list[str]:
        left = await self.certificate.seconds_left()
        return [] if left is None else list(_gauge(CERTIFICATE, left))

    def _of_server(self) -> Lines:
        living = self.all_counters.living()
        yield from _gauge(WAITING, sum(worker.waiting for worker in living))
        yield from _gauge(WORKERS, len(living))
        yield from _gauge(WORKERS_WANTED, self.settings.workers)
        if self.settings.engine == "postgresql":
            used = sum(worker.connections for worker in living)
            yield from _gauge(CONNECTIONS_USED, used)
            yield from _gauge(CONNECTIONS_MOST, self.settings.database_connections * len(living))
        if self.settings.valkey_url:
            yield from _gauge(VALKEY_AWAY, sum(worker.valkey_away for worker in living))
        audit = self.all_counters.last_audit()
        if audit:
            yield from _gauge(AUDIT_AGE, (elapsed_ms() - audit.audited_at) / 1000)
            yield from _gauge(DIFFERENCES, audit.differences)
        if isinstance(self.clock, SystemClock):
            yield from _gauge(CLOCK_STEP, self.clock.step_ms() / 1000)
        yield from _gauge(READY, int(self.upkeep.trouble is None))
        yield from _family(INFO, [({"version": __version__, "engine": self.settings.engine}, 1)])

    def _of_loops(self) -> Lines:
        failures, ages = self.all_counters.loop_failures(), self.all_counters.loop_ages()
        yield from _family(LOOP_FAILURES, [({"loop": loop}, n) for loop, n in failures.items()])
        yield from _family(LOOP_AGES, [({"loop": loop}, ms / 1000) for loop, ms in ages.items()])


async def _stored(tx: Tx) -> list[str]:
    """What is counted in the database, in one transaction."""
    escrow, stopped = await holds.count_all(tx), await ledger.stopped(tx)
    reports, oldest = await moderation.open_reports(tx)
    posts, first = await held.count_waiting(tx)
    purge, hooks = await purges.unfinished(tx), await webhooks.count_all(tx)
    return [
        *_gauge(HOLDS, escrow.open),
        *_gauge(OVERDUE, escrow.overdue),
        *_gauge(STOPPED, int(stopped is not None)),
        *_gauge(REPORTS, reports),
        *_gauge(REPORT_AGE, (tx.now - oldest) / 1000 if reports else 0),
        *_gauge(HELD, posts),
        *_gauge(HELD_AGE, (tx.now - first) / 1000 if first else 0),
        *_gauge(PURGE_AGE, (tx.now - purge) / 1000 if purge else 0),
        *_gauge(WEBHOOKS, hooks.active),
        *_gauge(FAILING, hooks.failing),
    ]


def _head(metric: Metric) -> Lines:
    yield f"# HELP {metric.name} {metric.description}"
    yield f"# TYPE {metric.name} {metric.kind}"


def _family(metric: Metric, samples: Iterable[tuple[MetricLabels, MetricValue]]) -> Lines:
    yield from _head(metric)
    for labels, value in samples:
        yield _sample(metric.name, labels, value)


def _gauge(metric: Metric, value: MetricValue) -> Lines:
    yield from _family(metric, [({}, value)])


def _histogram(
    metric: Metric,
    found: Distribution,
    bounds: tuple[int, ...],
    unit: int = 1,
    labels: MetricLabels | None = None,
) -> Lines:
    """The samples of one histogram, whose values were counted in parts of a `unit`."""
    labels = labels or {}
    named = [*(f"{bound / unit:g}" for bound in bounds), "+Inf"]
    for bound, number in zip(named, found.at_most, strict=True):
        yield _sample(f"{metric.name}_bucket", {**labels, "le": bound}, number)
    yield _sample(f"{metric.name}_sum", labels, found.total / unit)
    yield _sample(f"{metric.name}_count", labels, found.at_most[-1])


def _sample(name: str, labels: MetricLabels, value: MetricValue) -> str:
    """A line. Labels are names of operations and the like, which need no escaping."""
    told = ",".join(f'{label}="{text}"' for label, text in labels.items())
    number = "+Inf" if value == inf else value
    return f"{name}{{{told}}} {number}" if told else f"{name} {number}"
