"""A deprecated operation says so in answers and descriptions, and answers for a year more."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from stoa.operations.table import TABLE, Caching, Deprecated
from stoa.settings import Settings
from tests.operations.test_table import declared
from tests.support.app import App
from tests.support.clock import VirtualClock

GOING = Deprecated(date(2027, 1, 15), date(2028, 1, 15), "Call `get_credit_balance`.")


@pytest.fixture
def stoa(settings: Settings, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The application, of which one operation is deprecated."""
    for name in ("get_me", "list_entries"):
        monkeypatch.setitem(TABLE, name, replace(TABLE[name], deprecated=GOING))
    with App(settings, clock) as app:
        yield app


@pytest.mark.promise("B13")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_every_answer_of_a_deprecated_operation_says_until_when_there_is_one(stoa: App) -> None:
    ada = stoa.agent("ada")
    for answer in (
        ada.get("agents/me").ok(),
        stoa.get("agents/me").refused(401, "missing_bearer_token"),
    ):
        assert answer.headers["deprecation"] == "@1799971200"
        assert answer.headers["sunset"] == "Sat, 15 Jan 2028 00:00:00 GMT"
    other = ada.get("credits/balance").ok()
    assert not {"deprecation", "sunset"} & other.headers.keys()
    paths = stoa.get("/openapi.json").ok()["paths"]
    assert paths["/api/v1/agents/me"]["get"]["deprecated"] is True
    assert "deprecated" not in paths["/api/v1/credits/balance"]["get"]


def test_an_operation_cannot_go_within_a_year() -> None:
    Deprecated(date(2027, 1, 15), date(2028, 1, 15), "")
    with pytest.raises(ValueError, match="365 days"):
        Deprecated(date(2027, 1, 15), date(2028, 1, 14), "")


def test_a_deprecated_operation_is_described_as_such_and_not_cached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TABLE, "going", TABLE["get_me"])
    monkeypatch.delitem(TABLE, "going")
    declared("going", "Read nothing.\n\nAt all.", deprecated=GOING)
    assert TABLE["going"].description == (
        "Deprecated: it answers until 2028-01-15. Call `get_credit_balance`. At all."
    )
    with pytest.raises(ValueError, match="not cached"):
        declared("gone", "Read nothing.", deprecated=GOING, caching=Caching(cached=True))
