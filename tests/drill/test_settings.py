"""The settings that docs/scale.md shows are those that the drill runs with."""

import os
import re
from pathlib import Path

import pytest

from tools.drill import needs
from tools.drill.patroni import CLUSTER

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
ROW = re.compile(r"\| `(?P<name>[a-z_]+)` \| `(?P<value>[^`]+)` \|")


def flat() -> dict[str, str]:
    """Every setting of the cluster by name, as Patroni's YAML writes its value."""
    postgresql = CLUSTER["postgresql"]
    groups = [CLUSTER, postgresql, postgresql["parameters"]]
    pairs = [pair for group in groups for pair in group.items() if not isinstance(pair[1], dict)]
    return {name: str(value).lower() if value is True else str(value) for name, value in pairs}


def test_each_setting_shown_is_the_one_the_drill_runs_with() -> None:
    shown = {row["name"]: row["value"] for row in ROW.finditer(PAGE.read_text("utf-8"))}
    assert len(shown) >= 12
    assert {name: flat().get(name) for name in shown} == shown


def test_patroni_takes_the_times_as_they_are() -> None:
    """It silently changes times that do not go together."""
    assert CLUSTER["ttl"] >= 20
    assert CLUSTER["loop_wait"] + 2 * CLUSTER["retry_timeout"] <= CLUSTER["ttl"]


def _nothing(*_: object) -> None:
    return None


def test_a_machine_without_the_programs_is_told_their_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setattr("shutil.which", _nothing)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    (tmp_path / "patroni").touch()
    with pytest.raises(needs.Missing, match="etcd-server, haproxy, iproute2, pgbouncer"):
        needs.provide()
