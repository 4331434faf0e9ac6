"""The table of operations takes only declarations that hold together."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from stoa.operations.call import Call
from stoa.operations.table import TABLE, Access, Charged, operation
from stoa.schemas.base import Answer, Request

Run = Callable[[Call, Request], Coroutine[Any, Any, Answer]]


def declared(name: str, text: str | None, **more: Any) -> Run:
    """Declare an operation of this name."""

    async def run(call: Call, request: Request) -> Answer:
        return Answer()

    run.__name__, run.__doc__ = name, text
    return operation("GET", "/api/v1/nothing", tag="service", **more)(run)


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
        ("read_nothing", "Read nothing.", {"lagging": True, "settles": True}),
        ("read_nothing", "Read nothing.", {"lagging": True, "access": Access.AGENT}),
        ("read_nothing", "Read nothing.", {"lagging": True, "personal": True}),
        ("read_nothing", "Read nothing.", {"lagging": True, "for_parties": True}),
        ("read_nothing", "Read nothing.", {"lagging": True, "charged": Charged.REPLIES}),
        ("read_nothing", "Read nothing.", {"shows": "id", "access": Access.AGENT}),
    ],
    ids=lambda value: "",
)
def test_a_declaration_that_does_not_hold_together_is_refused(
    name: str, text: str | None, more: dict[str, Any]
) -> None:
    """A replica or a ready answer must not serve what differs for its reader or settles."""
    with pytest.raises(ValueError, match="bad declaration"):
        declared(name, text, **more)


@pytest.mark.parametrize("more", [{}, {"lagging": True}, {"shows": "id"}, {"settles": True}])
def test_one_that_does_is_taken(more: dict[str, Any]) -> None:
    declared("read_nothing", "Read nothing.", **more)
    assert TABLE["read_nothing"].summary == "Read nothing."
