"""The operator's own endpoint sees each text before it is kept, whatever face it comes by."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import msgspec
import pytest

from stoa.domain import limits
from stoa.settings import Settings
from tests.support.app import App
from tests.support.late import begin_late
from tests.support.logs import logged
from tests.support.mcp import Mcp
from tests.support.moderation import report
from tests.support.processes import until
from tests.support.receiver import Answers, Received, Receiver, gigabyte, receiving, status
from tests.support.server import Server
from tests.support.steps import Steps

SOON_MS = limits.SCREEN_MS
"""The time for an endpoint that will not answer; all others have as long as they take."""

WANTED = {"title": "Watches", "body": "Buy them!"}


def says(verdict: Any, status: int = 200) -> Answers:
    """Answers with this JSON."""

    def answer(_: Received, handler: BaseHTTPRequestHandler) -> None:
        body = verdict if isinstance(verdict, bytes) else json.dumps(verdict).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def wait(app: App, most_ms: int = 60_000) -> App:
    """Let the endpoint take so long."""
    screen = app.stoa.screen
    assert screen
    screen.most_ms = most_ms
    return app


@pytest.fixture
def endpoint() -> Iterator[Receiver]:
    """The operator's endpoint, which allows everything at first."""
    with receiving() as receiver:
        receiver.answer = says({"verdict": "allow"})
        yield receiver


@pytest.fixture
def app(settings: Settings, endpoint: Receiver, steps: Steps) -> Iterator[App]:
    """A service with this endpoint."""
    screened = msgspec.structs.replace(
        settings, screen_url=endpoint.url, webhooks_allow=["127.0.0.0/8"]
    )
    with App(screened, through=steps.store) as app:
        yield wait(app)


@pytest.mark.promise("M34")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_text_that_the_operator_refuses_is_not_kept(app: App, endpoint: Receiver) -> None:
    ada = app.agent("ada")  # `hold` is `allow` where nothing can be held, as in a profile
    shown = json.loads(endpoint.received[-1].body)
    assert (shown["kind"], shown["fields"], shown["agentId"]) == (
        "profile", {"displayName": "ada"}, None,
    )  # fmt: skip
    thread = ada.thread(**WANTED, tags=["time"])
    shown = json.loads(endpoint.received[-1].body)
    assert (shown["kind"], shown["agentId"]) == ("thread", ada.id)
    assert shown["fields"] == {**WANTED, "tags": ["time"]}
    assert shown["id"]
    key = {"headers": {"Idempotency-Key": "one"}}
    first = ada.post("threads", WANTED, **key).ok(201)["thread"]["id"]
    endpoint.answer = says({"verdict": "refuse", "reason": "No advertising."})
    assert ada.post("threads", WANTED, **key).ok(201)["thread"]["id"] == first
    calls = [
        ("threads", WANTED),
        ("threads?dryRun=true", WANTED),
        (f"threads/{thread['id']}/append", {"body": "More."}),
        (f"threads/{thread['id']}/replies", {"body": "More."}),
        ("jobs", {"title": "Work", "description": "Sell them.", "rewardCredits": 5}),
    ]
    for path, body in calls:
        refused = ada.post(path, body).refused(403, "refused_by_operator")
        assert refused["reason"] == "No advertising."
    assert Mcp(app).result("create_thread", WANTED, ada)["code"] == "refused_by_operator"
    endpoint.answer = says({"verdict": "hold", "reason": "Is it advertising?"}, 299)
    held = ada.post("threads", WANTED).ok(201)["thread"]
    assert held["held"]["reason"] == "Is it advertising?"
    app.get(f"threads/{held['id']}").refused(410, "held")
    assert app.agent("bob").post("jobs", calls[-1][1]).ok(201)["job"]["held"]
    outcome = {"result": "worked", "note": "It does."}
    reply = ada.reply(thread)
    assert reply["held"]
    endpoint.answer = says({"verdict": "allow"})
    shown = app.agent("cy").reply(thread)
    endpoint.answer = says({"verdict": "hold"})
    ada.post(f"replies/{shown['id']}/outcomes", outcome).ok(201)  # nothing else is held
    seen = len(endpoint.received)
    report(ada, shown).ok(201)  # which moderators alone read
    assert len(endpoint.received) == seen
    assert app.get("threads").ok()["threads"][0]["id"] == first
    assert app.get("jobs").ok()["jobs"] == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_text_is_not_kept_unseen_because_its_answer_was_stored_until_now(
    app: App, steps: Steps
) -> None:
    ada = app.agent("ada")
    key = {"headers": {"Idempotency-Key": "one"}}
    ada.post("threads", WANTED, **key).ok(201)
    app.clock.advance(limits.ANSWERS_KEPT_MS)
    ada.sign_in()
    begin_late(app, steps, 1)
    ada.post("threads", WANTED, **key).refused(409, "idempotency_in_progress")
    assert len(app.get("threads").ok()["threads"]) == 1


def stalls(_: Received, handler: BaseHTTPRequestHandler) -> None:
    """Answers nothing until the connection is cut."""
    handler.rfile.read(1)


@pytest.mark.promise("M35")
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("down", ["allow", "hold"])
def test_an_endpoint_that_is_down_decides_as_the_operator_set(
    settings: Settings, endpoint: Receiver, down: str
) -> None:
    screened = msgspec.structs.replace(
        settings, screen_url=endpoint.url, webhooks_allow=["127.0.0.0/8"], screen_down=down
    )
    lies: tuple[Any, ...] = (
        {"verdict": "yes"},
        {"reason": ""},
        [],
        {"verdict": "allow", "reason": "x" * 501},
        b'{"verdict":"refuse","more":%b}' % (b"[" * 5000 + b"]" * 5000),
    )
    lies += ({"verdict": "refuse", "reason": "a\u202eb"},)
    with App(screened) as app:
        ada = wait(app).agent("ada")
        endpoint.answer = status(500)
        with logged() as lines:
            ada.post("threads", WANTED).ok(201)
        (told_down,) = [line for line in lines if "the screening" in line["event"]]
        assert (told_down["reason"], "hint" in told_down) == ("it answered 500", False)
        for answer in (status(302), gigabyte, *map(says, lies), stalls):
            endpoint.answer = answer
            if answer is stalls:
                wait(app, SOON_MS)
            told = ada.post("threads", WANTED)
            assert ("held" in told.ok(201)["thread"]) is (down == "hold"), answer
        wait(app)
        endpoint.answer = says({"verdict": "allow"})
        with logged() as lines:
            assert "held" not in ada.post("threads", WANTED).ok(201)["thread"]
        assert "the screening endpoint answers again" in [line["event"] for line in lines]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_log_names_the_setting_that_lets_texts_reach_the_endpoint(
    settings: Settings, endpoint: Receiver
) -> None:
    screened = msgspec.structs.replace(
        settings, screen_url=endpoint.url, webhooks_allow=["10.0.0.0/8"]
    )
    with App(screened) as app, logged() as lines:
        wait(app).agent("ada").thread(**WANTED)
    (down,) = [line for line in lines if line["event"] == "the screening endpoint is down"]
    assert "STOA_WEBHOOKS_ALLOW" in down["hint"]
    assert endpoint.received == []


def test_an_endpoint_that_is_not_reached_is_told_at_the_start(
    start_server: Callable[..., Server], endpoint: Receiver
) -> None:
    server = start_server(screen_url=f"https://localhost:{endpoint.port}/texts")
    until(lambda: "the screening endpoint is down" in server.log)
    assert "STOA_WEBHOOKS_ALLOW" in server.log
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
