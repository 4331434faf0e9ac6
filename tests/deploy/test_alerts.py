"""Each alert rule fires for the fault it is named after once it has lasted, and none otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.deploy.test_monitoring import SAMPLES, rules
from tests.support.metrics import METRICS
from tests.support.promql import LabelSet, Recorded, evaluate, seconds

STEP_S = 60
HOURS = 7
END = HOURS * 3600.0
DAY = 86_400
HURT_S = 2 * 3600
"""So long before the end what is wrong begins."""

GB = 1e9
Curve = Callable[[float], float]
"""The value of a series at a time in seconds."""
Key = tuple[str, LabelSet]


def labels(**given: str) -> LabelSet:
    return tuple(sorted(given.items()))


def steady(value: float) -> Curve:
    """A gauge that stays where it is."""
    return lambda _: value


def rising(each_second: float) -> Curve:
    """A counter."""
    return lambda time: each_second * time


def from_then(before: Curve, after: Curve) -> Curve:
    """What was well and is not any more."""
    return lambda time: (before if time < END - HURT_S else after)(time)


def buckets(name: str, slow: float, **more: str) -> dict[Key, Curve]:
    """A histogram of which a part is slower than 2.5 s, and the rest quicker than 5 ms."""
    shares = {"0.005": 1 - slow, "0.25": 1 - slow, "2.5": 1 - slow, "5": 1.0, "+Inf": 1.0}
    return {
        (f"{name}_bucket", labels(le=bound, **more)): rising(10 * share)
        for bound, share in shares.items()
    }


UP: Key = ("up", labels(job="stoa"))
ANSWERS = "stoa_requests_total"
FAILURES = "stoa_upkeep_failures_total"
SUCCESS_AGE = "stoa_upkeep_success_age_seconds"
WELL: dict[Key, Curve] = {
    UP: steady(1),
    (ANSWERS, labels(operation="get_recent_threads", status="200")): rising(10),
    (ANSWERS, labels(operation="get_recent_threads", status="503")): rising(0.01),
    **buckets("stoa_request_duration_seconds", 0.001, operation="get_recent_threads"),
    **buckets("stoa_commit_duration_seconds", 0.001),
    **buckets("stoa_commit_group_size", 0),
    ("stoa_rate_limited_total", labels(bucket="reads")): rising(0.1),
    (FAILURES, labels(loop="sweep")): steady(7),
    (SUCCESS_AGE, labels(loop="sweep")): steady(20),
    (FAILURES, labels(loop="index")): steady(0),
    (SUCCESS_AGE, labels(loop="index")): rising(1),  # it reads a large database
    **{
        (f"stoa_{name}", ()): steady(value)
        for name, value in {
            "writer_queue": 0,
            "wal_bytes": 1e6,
            "database_bytes": GB,
            "disk_free_bytes": 50 * GB,
            "holds_open": 12,
            "holds_overdue": 0,
            "reports_open": 2,
            "report_age_seconds": 3600,
            "held_posts": 2,
            "held_age_seconds": 3600,
            "purge_age_seconds": 0,
            "audit_age_seconds": 30,
            "audit_differences": 0,
            "settlements_stopped": 0,
            "backup_age_seconds": 1800,
            "backup_failed": 0,
            "workers": 2,
            "workers_configured": 2,
            "valkey_away": 0,
            "clock_step_seconds": 0,
            "database_connections_used": 1,
            "database_connections_most": 20,
            "webhooks_active": 4,
            "webhooks_failing": 1,
            "certificate_seconds": 60 * DAY,
            "ready": 1,
        }.items()
    },
    ("stoa_info", labels(version="0.2.0", engine="sqlite")): steady(1),
}


def gauge(name: str, value: float) -> dict[Key, Curve]:
    key = (f"stoa_{name}", ())
    return {key: from_then(WELL[key], steady(value))}


def gone(*names: str) -> dict[Key, Curve | None]:
    return {key: None for key in WELL if key[0] in names}


HARM: dict[str, dict[Key, Curve] | dict[Key, Curve | None]] = {
    "StoaDown": {UP: from_then(steady(1), steady(0))},
    "StoaAbsent": gone("up"),
    "StoaMetricsAbsent": gone("stoa_ready"),
    "StoaNotReady": gauge("ready", 0),
    "StoaSettlementsStopped": gauge("settlements_stopped", 1),
    "StoaAuditDifferences": gauge("audit_differences", 1),
    "StoaAuditOld": gauge("audit_age_seconds", 700),
    "StoaAuditMissing": gone("stoa_audit_age_seconds"),
    "StoaUpkeepFails": {
        (FAILURES, labels(loop="sweep")): from_then(steady(7), rising(1 / 60)),
        (SUCCESS_AGE, labels(loop="sweep")): from_then(steady(20), lambda at: at - END + HURT_S),
    },
    "StoaReportsWait": gauge("report_age_seconds", 2 * DAY),
    "StoaHeldPostsWait": gauge("held_age_seconds", 13 * 3600),
    "StoaPurgeUnfinished": gauge("purge_age_seconds", 700),
    "StoaErrors": {(ANSWERS, labels(operation="get_recent_threads", status="503")): rising(1)},
    "StoaSlow": buckets("stoa_request_duration_seconds", 0.02, operation="get_recent_threads"),
    "StoaWritesWait": gauge("writer_queue", 201),
    "StoaCommitsSlow": buckets("stoa_commit_duration_seconds", 0.2),
    "StoaDiskLow": gauge("disk_free_bytes", 1.9 * GB),
    "StoaDiskFullInADay": {
        ("stoa_disk_free_bytes", ()): lambda time: 50 * GB - time * 50 * GB / DAY,
    },
    "StoaLogLarge": gauge("wal_bytes", 1.1 * GB),
    "StoaHoldsOverdue": gauge("holds_overdue", 1),
    "StoaBackupOld": gauge("backup_age_seconds", 27 * 3600),
    "StoaBackupFailed": gauge("backup_failed", 1),
    "StoaWorkersMissing": gauge("workers", 1),
    "StoaValkeyAway": gauge("valkey_away", 1),
    "StoaClockStepped": gauge("clock_step_seconds", -70),
    "StoaManyLimited": {("stoa_rate_limited_total", labels(bucket="reads")): rising(11)},
    "StoaOverloaded": {(ANSWERS, labels(operation="overload", status="503")): rising(2)},
    "StoaDatabaseSilent": gone("stoa_holds_open", "stoa_holds_overdue"),
    "StoaConnectionsUsed": gauge("database_connections_used", 20),
    "StoaWebhooksFailing": gauge("webhooks_failing", 3),
    "StoaCertificateEnds": gauge("certificate_seconds", 13 * DAY),
    "StoaCertificateRefused": gauge("certificate_seconds", 0),
}
ALSO = {
    "StoaCertificateRefused": {"StoaCertificateEnds"},
    "StoaDiskLow": {"StoaDiskFullInADay"},
}
"""What fires beside an alert, of the same cause."""


def recorded(curves: dict[Key, Curve]) -> Recorded:
    """What Prometheus has kept of these."""
    found: Recorded = {}
    times = [STEP_S * step for step in range(int(END / STEP_S) + 1)]
    for (name, of), curve in curves.items():
        found.setdefault(name, {})[of] = [(time, curve(time)) for time in times]
    return found


def fires(rule: dict[str, Any], seen: Recorded) -> bool:
    """Whether the rule has held for its time at the end."""
    lasts = seconds(rule["for"]) if "for" in rule else 0
    times = [END - back for back in range(0, lasts + 1, STEP_S)]
    return all(evaluate(rule["expr"], seen, time) for time in times)


def firing(harm: dict[Key, Curve] | dict[Key, Curve | None]) -> set[str]:
    """The alerts that fire on a server with this harm."""
    curves = {key: curve for key, curve in {**WELL, **harm}.items() if curve}
    seen = recorded(curves)
    return {rule["alert"] for rule in rules() if fires(rule, seen)}


def test_the_recorded_metrics_are_all_that_a_server_tells() -> None:
    names = {name for name, _ in WELL} - {"up"}
    assert names <= SAMPLES
    for metric in METRICS:
        kept = metric.name if metric.kind != "histogram" else f"{metric.name}_bucket"
        assert kept in names, metric.name


def test_no_alert_fires_on_a_server_that_is_well() -> None:
    assert firing({}) == set()


@pytest.mark.promise("O5")
def test_each_alert_fires_on_what_it_is_for() -> None:
    assert {rule["alert"] for rule in rules()} == HARM.keys()
    for name, harm in HARM.items():
        assert firing(harm) == {name, *ALSO.get(name, ())}, name


def test_an_alert_waits_for_its_time() -> None:
    (rule,) = (rule for rule in rules() if rule["alert"] == "StoaNotReady")
    for since, expected in ((30, False), (120, True)):
        seen = recorded(WELL)
        seen["stoa_ready"] = {(): [(at, float(at <= END - since)) for at, _ in seen["up"][UP[1]]]}
        assert fires(rule, seen) is expected
