"""Reads what a server tells Prometheus."""

import re
from collections import Counter

import httpx

from stoa.monitoring import exposition
from stoa.monitoring.exposition import Metric
from tests.support.server import Server

METRICS = [one for one in vars(exposition).values() if isinstance(one, Metric)]
"""All that there are."""

_SAMPLE = re.compile(r"(?P<name>\w+)(?:{(?P<labels>[^}]*)})? (?P<value>\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')

Sample = tuple[str, dict[str, str], float]


def samples(text: str) -> list[Sample]:
    """Every sample of a scrape: name, labels, value."""
    found: list[Sample] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            parts = _SAMPLE.fullmatch(line)
            assert parts, line
            labels = dict(_LABEL.findall(parts["labels"] or ""))
            found.append((parts["name"], labels, float(parts["value"])))
    return found


def values(text: str) -> dict[str, float]:
    """The values of the metrics that have no labels."""
    return {name: value for name, labels, value in samples(text) if not labels}


def by_label(text: str, metric: str, label: str) -> Counter[str]:
    """The sums of a metric by one of its labels; what is 0 is left out."""
    found: Counter[str] = Counter()
    for name, labels, value in samples(text):
        if name == metric and value:
            found[labels[label]] += round(value)
    return found


def scrape(server: Server) -> str:
    """What the metrics' listener of a server answers now."""
    found = re.search(r"Metrics are at (\S+)", server.printed)
    assert found, server.printed
    return httpx.get(found[1], timeout=60).raise_for_status().text
