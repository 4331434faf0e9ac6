"""Challenges are given without the application, with the same headers and under the same limit."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.domain.keys import TEST_VECTOR
from stoa.http.wire import InParts, Scope
from stoa.settings import Settings
from tests.support.app import HOST, App, signed
from tests.support.keys import Key

PATH = "/api/v1/auth/challenge"
OF_EACH = ("x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset")
HEADERS = {"content-type": "application/json", "host": HOST, "x-request-id": "one"}


def ready(stoa: App, body: Any, headers: dict[str, str] | None = None) -> InParts | None:
    """What is answered without the application."""
    given = HEADERS | (headers or {})
    scope: Scope = {
        "method": "POST",
        "path": PATH,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1234),
    }
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return stoa.stoa.ready.find_posted(scope, content)


def names_and_values(lines: bytes) -> dict[str, str]:
    """Header lines but for what differs between any two answers."""
    pairs = (line.split(": ", 1) for line in lines.decode().splitlines())
    return {name: value for name, value in pairs if name not in OF_EACH}


@pytest.fixture
def key(stoa: App) -> Key:
    return stoa.agent("Ada").key


def test_it_is_the_answer_of_the_application(stoa: App, key: Key) -> None:
    made = stoa.post("auth/challenge", {"publicKey": key.public}).ok()
    for body in ({"publicKey": key.public}, b'{"publicKey": "%b"}' % key.public.upper().encode()):
        found = ready(stoa, body)
        assert found is not None
        status, lines, *parts = found
        answer = msgspec.json.decode(b"".join(parts))
        assert status == 200
        assert list(answer) == list(made.json)
        assert answer | {"challenge": ""} == made.json | {"challenge": ""}
        assert answer["challenge"] != made["challenge"]
        headers = {name.lower(): value for name, value in made.headers.items()}
        told = {name: value for name, value in headers.items() if name not in OF_EACH}
        assert names_and_values(lines) == told
        assert stoa.post("auth/verify", signed(key, answer["challenge"])).status == 200


@pytest.mark.usefixtures("key")
def test_the_check_of_a_key_waits_until_it_is_charged(stoa: App, tmp_path: Path) -> None:
    new = Key(str(tmp_path))  # which no other test has checked
    assert ready(stoa, {"publicKey": new.public}) is None
    stoa.challenge(new)
    assert ready(stoa, {"publicKey": new.public}) is not None


@pytest.mark.parametrize("public_key", [TEST_VECTOR.public_key, "00" * 32, "ab" * 31, 7])
def test_no_other_key_gets_one(stoa: App, public_key: Any) -> None:
    for _ in range(2):
        assert ready(stoa, {"publicKey": public_key}) is None
        assert stoa.post("auth/challenge", {"publicKey": public_key}).status == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer nonsense"},
        {"content-type": "text/plain"},
        {"content-encoding": "gzip"},
        {"host": "elsewhere.example"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_other_headers_are_left_to_the_application(
    stoa: App, key: Key, headers: dict[str, str]
) -> None:
    assert ready(stoa, {"publicKey": key.public}) is not None
    assert ready(stoa, {"publicKey": key.public}, headers) is None


def test_another_body_is_left_to_the_application(stoa: App, key: Key) -> None:
    public = key.public.encode()
    for body in (
        {"publicKey": key.public, "more": 1},
        b'{"publicKey":"%b","publicKey":"%b"}' % (public, public),
        b'{"publicKey":"%b"}}' % public,
        b'{"publicKey":"%b"}\n\n' % public,
        b"",
    ):
        assert ready(stoa, body) is None


def test_a_full_bucket_is_left_to_the_application(tmp_path: Path) -> None:
    with App(Settings(data_dir=str(tmp_path), limit_reads_anonymous=5)) as stoa:
        key = stoa.agent("Ada").key
        given = [ready(stoa, {"publicKey": key.public}) for _ in range(5)]
        assert [one is not None for one in given] == [True] * 3 + [False] * 2
        assert stoa.post("auth/challenge", {"publicKey": key.public}).status == 429
