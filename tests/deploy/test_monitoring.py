"""The alert rules and the dashboard name only metrics that there are, and all of them are told."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from tests.support.metrics import METRICS
from tools.docs import ROOT

ALERTS = ROOT / "deploy/prometheus/alerts.yml"
DASHBOARD = ROOT / "deploy/grafana/stoa.json"
NAMES = {metric.name for metric in METRICS}
HISTOGRAMS = {metric.name for metric in METRICS if metric.kind == "histogram"}
SAMPLES = (NAMES - HISTOGRAMS) | {
    f"{name}_{part}" for name in HISTOGRAMS for part in ("bucket", "sum", "count")
}


def rules() -> list[dict[str, Any]]:
    """Every alert rule."""
    groups = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """Every panel of the dashboard."""
    return json.loads(DASHBOARD.read_text("utf-8"))["panels"]


def expressions() -> Iterator[str]:
    """Every expression of both files."""
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in panels() for target in panel["targets"])


def named(expression: str) -> set[str]:
    """The metrics that an expression names."""
    return set(re.findall(r"\bstoa_\w+", expression))


def test_an_expression_names_metrics_that_there_are() -> None:
    for expression in list(expressions()):
        found = named(expression)
        assert found or "up{" in expression
        assert found <= SAMPLES
        for opening, closing in ("()", "[]", "{}"):
            assert expression.count(opening) == expression.count(closing)


def test_a_metric_that_there_is_not_would_be_found() -> None:
    assert not named("rate(stoa_request_total[5m])") <= SAMPLES
    assert not named("rate(stoa_commit_duration_seconds[5m])") <= SAMPLES


def test_the_dashboard_shows_every_metric() -> None:
    shown = set[str]().union(
        *(named(target["expr"]) for panel in panels() for target in panel["targets"])
    )
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown} == NAMES


def test_every_alert_says_what_happened_and_what_to_do() -> None:
    found = rules()
    assert len({rule["alert"] for rule in found}) == len(found) >= 12
    for rule in found:
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert all(rule["annotations"][name].endswith(".") for name in ("summary", "action"))


def test_no_two_panels_overlap() -> None:
    places = [panel["gridPos"] for panel in panels()]
    assert len({(place["x"], place["y"]) for place in places}) == len(places)
    assert len({panel["id"] for panel in panels()}) == len(places)


def test_every_metric_is_told_in_the_guide_for_operators() -> None:
    guide = (ROOT / "docs/operating/watch.md").read_text("utf-8")
    assert [name for name in sorted(NAMES) if f"`{name}`" not in guide] == []
