"""The table of operations takes only declarations that hold together."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from stoa.operations.call import Call
from stoa.operations.table import TABLE, Access, Caching, Charged, Effect, Who, operation
from stoa.schemas.base import Answer, Request

SHARED = Caching(lagging=True)
Run = Callable[[Call, Request], Coroutine[Any, Any, Answer]]


def declared(name: str, text: str | None, **more: Any) -> Run:
    """Declare an operation of this name."""

    async def run(call: Call, request: Request) -> Answer:
        return Answer()

    run.__name__, run.__doc__ = name, text
    return operation("GET /api/v1/nothing", tag="service", **more)(run)


@pytest.fixture(autouse=True)
def _table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is declared here is forgotten afterwards."""
    for name in ("read_nothing", "get_thread"):
        monkeypatch.setitem(TABLE, name, TABLE["get_thread"])
    monkeypatch.delitem(TABLE, "read_nothing")


@pytest.mark.parametrize(
    ("name", "text", "more"),
    [
        ("get_thread", "Read nothing.", {}),
        ("read_nothing", None, {}),
        ("read_nothing", "Read nothing.", {"errors": ("no_such_code",)}),
        ("read_nothing", "Read nothing, or\nsomething.", {}),
        ("read_nothing", "Read nothing.", {"caching": SHARED, "effect": Effect(settles=True)}),
        ("read_nothing", "Read nothing.", {"caching": SHARED, "who": Who(Access.AGENT)}),
        ("read_nothing", "Read nothing.", {"caching": Caching(lagging=True, personal=True)}),
        ("read_nothing", "Read nothing.", {"caching": Caching(lagging=True, for_parties=True)}),
        ("read_nothing", "Read.", {"caching": SHARED, "who": Who(charged=Charged.REPLIES)}),
        (
            "read_nothing",
            "Read nothing.",
            {"caching": Caching(cached=True), "who": Who(Access.AGENT)},
        ),
    ],
    ids=lambda value: "",
)
def test_a_declaration_that_does_not_hold_together_is_refused(
    name: str, text: str | None, more: dict[str, Any]
) -> None:
    """A replica or a ready answer must not serve what differs for its reader or settles."""
    with pytest.raises(ValueError, match=r"bad declaration|not the same for all"):
        declared(name, text, **more)


@pytest.mark.parametrize(
    "more",
    [{}, {"caching": SHARED}, {"caching": Caching(cached=True)}, {"effect": Effect(settles=True)}],
)
def test_one_that_does_is_taken(more: dict[str, Any]) -> None:
    declared("read_nothing", "Read nothing.", **more)
    assert TABLE["read_nothing"].summary == "Read nothing."
