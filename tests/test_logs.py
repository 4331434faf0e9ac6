"""What is logged, and what never is."""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import apsw
import httpx
import msgspec
import pytest

from stoa import logs
from stoa.domain import tokens
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from tests.support.keys import Key
from tests.support.logs import restored
from tests.support.server import Server

CANARY = "canary-4f7a"


class Log:
    """The log of this process, from when a test begins it."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def begin(self) -> logs.Log:
        """Configure it, in the test itself: each phase of a test has a stderr of its own."""
        logs.configure_logs("info")
        return logs.log

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines since the last look."""
        return [json.loads(line) for line in self._capsys.readouterr().err.splitlines()]


def test_a_line_that_cannot_be_written_fails_nothing(log: "Log", monkeypatch: pytest.MonkeyPatch):
    reading, writing = os.pipe()
    os.close(reading)
    with suppress(BrokenPipeError), os.fdopen(writing, "w", buffering=1) as nowhere:
        with pytest.raises(BrokenPipeError):
            nowhere.write("a line\n")
        monkeypatch.setattr("sys.stderr", nowhere)
        log.begin().info("a line")


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[Log]:
    with restored():
        yield Log(capsys)


def test_a_line_is_json_with_time_level_and_event(log: Log):
    log.begin().warning("something happened", count=3)
    [line] = log.lines
    assert list(line) == ["timestamp", "level", "event", "count"]
    assert (line["level"], line["event"], line["count"]) == ("warning", "something happened", 3)
    assert line["timestamp"].endswith("Z")


def test_lines_below_the_level_are_left_out(log: Log):
    log.begin().debug("details")
    assert log.lines == []


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_fault_is_told_by_type_and_place_and_not_by_its_message(log: Log):
    try:
        fail(CANARY)
    except ValueError:
        log.begin().exception("defect")
    [line] = log.lines
    assert line["fault"][0] == "ValueError"
    assert line["fault"][1].startswith("  tests/test_logs.py:")
    assert line["fault"][1].endswith(" fail")
    assert CANARY not in str(line)


def test_what_a_fault_came_from_is_told_too(log: Log):
    try:
        try:
            fail(CANARY)
        except ValueError as error:
            parts = [KeyError(CANARY), OSError(CANARY)]
            raise ExceptionGroup(CANARY, parts) from error
    except ExceptionGroup:
        log.begin().exception("defect")
    [line] = log.lines
    types = [told for told in line["fault"] if not told.startswith(" ")]
    assert types == ["ExceptionGroup", "KeyError", "OSError", "ValueError"]
    assert CANARY not in str(line)


def test_of_a_long_chain_of_faults_the_latest_five_are_told(log: Log):
    fault = ValueError()
    for _ in range(9):
        fault, cause = ValueError(), fault
        fault.__cause__ = cause
    try:
        raise fault
    except ValueError:
        log.begin().exception("defect")
    [line] = log.lines
    assert line["fault"].count("ValueError") == 5


def test_a_fault_of_another_process_is_told_by_its_places_there(log: Log):
    crossed = ValueError(CANARY)
    crossed.add_note(CANARY)
    try:
        fail(CANARY)
    except ValueError as error:
        crossed.add_note(logs.note_of_places(error))
    log.begin().error("defect", fault=crossed)
    [line] = log.lines
    assert line["fault"][:3] == ["ValueError", logs.ELSEWHERE, "ValueError"]
    assert line["fault"][3].endswith(" fail")
    assert CANARY not in str(line)


def test_the_servers_own_words_are_told(log: Log):
    log.begin()
    logging.getLogger("uvicorn.error").info("Started server process [%d]\n", 7)
    [line] = log.lines
    assert line["event"] == "Started server process [7]"
    assert line["library"] == "uvicorn.error"


def test_of_other_libraries_only_the_place_is_told(log: Log):
    log.begin()
    library = logging.getLogger("mcp.server")
    library.info("told %s", CANARY)
    library.warning("told %s", CANARY)
    [line] = log.lines
    assert line["event"] == "a library says something"
    assert line["place"].startswith("tests/test_logs.py:")
    assert CANARY not in str(line)


def test_a_fault_of_the_event_loop_is_told_without_its_message(log: Log):
    log.begin()

    async def fail_later() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(logs.loop_fault)
        loop.call_soon(fail, CANARY)
        await asyncio.sleep(0)

    asyncio.run(fail_later())
    [line] = log.lines
    assert line["fault"][0] == "ValueError"
    assert CANARY not in str(line)


@pytest.mark.parametrize("secret", [tokens.mint(bytes(32)), "ab" * 64, "A-_0" * 40])
def test_what_looks_like_a_secret_is_masked(log: Log, secret: str):
    log.begin().error(f"refused {secret}", given=f"Bearer {secret}", items=[secret])
    [line] = log.lines
    assert secret not in str(line)
    assert line["event"] == "refused ***"


def test_lines_name_the_request_and_its_agent(log: Log):
    line = log.begin()

    async def answer() -> None:
        logs.note_request("r1")
        line.info("one")
        logs.note_agent("ag_1")
        line.info("two")

    asyncio.run(answer())
    line.info("three")
    names = [(told["event"], told.get("request"), told.get("agent")) for told in log.lines]
    assert names == [("one", "r1", None), ("two", "r1", "ag_1"), ("three", None, None)]


# --- A canary through every route of a real server.

SECRETS = {
    "token": tokens.mint(b"canary" * 5 + b"12"),
    "bearer": f"{CANARY}-bearer",
    "body": f"{CANARY}-body",
    "query": f"{CANARY}-query",
    "header": f"{CANARY}-header",
}


def call_everything(client: httpx.Client, authorization: str) -> list[httpx.Response]:
    return [_call(client, operation, authorization) for operation in all_operations()]


def _call(client: httpx.Client, operation: Operation, authorization: str) -> httpx.Response:
    path = operation.path
    for name in operation.path_fields:
        path = path.replace(f"{{{name}}}", "x")
    fields = [field.encode_name for field in msgspec.structs.fields(operation.request)]
    query = dict.fromkeys([*fields, "other"], SECRETS["query"])
    body = dict.fromkeys([*fields, "other", SECRETS["body"]], SECRETS["body"])
    is_get = operation.method == "GET"
    return client.request(
        operation.method,
        path,
        params=query if is_get else {"q": SECRETS["query"]},
        json=None if is_get else body,
        headers={"Authorization": authorization, "X-Canary": SECRETS["header"]},
    )


def sign_in(client: httpx.Client) -> tuple[str, list[str]]:
    """A token, and all that was secret on the way to it."""
    key = Key("canary")
    answer = client.post("/api/v1/auth/challenge", json={"publicKey": key.public})
    challenge: str = answer.json()["challenge"]
    signed = {"challenge": challenge, "signature": key.sign(challenge), "publicKey": key.public}
    token: str = client.post("/api/v1/auth/verify", json=signed).json()["token"]
    return token, [token, challenge, signed["signature"]]


def write(client: httpx.Client, token: str) -> int:
    texts = {"title": SECRETS["body"], "body": SECRETS["body"], "tags": [SECRETS["body"]]}
    headers = {"Authorization": f"Bearer {token}"}
    return client.post("/api/v1/threads", json=texts, headers=headers).status_code


def break_database(server: Server) -> None:
    connection = apsw.Connection(str(server.data_dir / "stoa.db"))
    connection.set_busy_timeout(5000)
    connection.execute("PRAGMA foreign_keys = OFF; DROP TABLE thread; DROP TABLE agent")
    connection.close()


@pytest.mark.soak
def test_nothing_that_a_client_sends_reaches_the_log(start_server: Callable[..., Server]):
    server = start_server(log_level="debug")
    with httpx.Client(base_url=server.url, timeout=60) as client:
        token, secrets = sign_in(client)
        assert write(client, token) == 201
        authorizations = [f"Bearer {token}", f"Bearer {SECRETS['token']}", SECRETS["bearer"]]
        answers = [a for given in authorizations for a in call_everything(client, given)]
        break_database(server)
        assert write(client, token) == 500
        answers += [a for given in authorizations for a in call_everything(client, given)]
        client.post("/nowhere", content=SECRETS["body"], params={"q": SECRETS["query"]})
        client.get("/threads/x", params={"q": SECRETS["query"]})
    assert server.stop() == 0
    text = server.log
    lines = [json.loads(line) for line in text.splitlines()]
    assert {500, 400, 401} <= {answer.status_code for answer in answers}
    assert sum(line["event"] == "request" for line in lines) >= len(answers)
    assert any(line["event"] == "defect" and line["fault"] for line in lines)
    for secret in [CANARY, SECRETS["token"], *secrets]:
        assert secret not in text
    for answer in answers:
        assert SECRETS["token"] not in answer.text
        assert SECRETS["bearer"] not in answer.text
