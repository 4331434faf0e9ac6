"""Input that cannot be read safely is refused before anything looks at what it means."""

import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from stoa.domain import limits
from tests.support.app import Agent, App
from tests.support.keys import Key
from tests.support.server import Server
from tests.support.soaking import few

pytestmark = pytest.mark.checks_input

MIB = 1024 * 1024
KEY = Key("reader").public
CHALLENGE = "auth/challenge"


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def padded(size: int) -> bytes:
    """A good request for a challenge of exactly `size` bytes."""
    start = json.dumps({"publicKey": KEY}).encode()
    return start + b" " * (size - len(start))


# --- Size.


def test_a_body_of_one_mebibyte_is_read(stoa: App) -> None:
    stoa.post(CHALLENGE, padded(MIB)).ok()


def test_a_byte_more_is_too_large(stoa: App) -> None:
    answer = stoa.post(CHALLENGE, padded(MIB + 1)).refused(413, "payload_too_large")
    assert answer.headers["connection"] == "close"


def test_a_chunked_body_is_measured_too(stoa: App) -> None:
    body = padded(MIB + 1)
    chunks = [body[start : start + 65_536] for start in range(0, len(body), 65_536)]
    stoa.post(CHALLENGE, chunks[:-1]).ok()
    stoa.post(CHALLENGE, chunks).refused(413, "payload_too_large")


@pytest.mark.parametrize("length", ["9" * 5000, "1048577", "10000000000000000000"])
def test_a_length_over_the_limit_is_refused_unread(stoa: App, length: str) -> None:
    headers = {"Content-Length": length}
    stoa.post(CHALLENGE, b"{}", headers=headers).refused(413, "payload_too_large")


def test_fifty_thousand_characters_may_come_as_escapes(alice: Agent) -> None:
    body = json.dumps({"title": "t", "body": "\U0001f600" * 50_000}).encode()
    assert len(body) > 600_000
    assert alice.post("threads", body).ok(201)["thread"]["body"]["body"] == "\U0001f600" * 50_000


@pytest.fixture
def connection(server: Server) -> Iterator[http.client.HTTPConnection]:
    host, port = server.address
    opened = http.client.HTTPConnection(host, port, timeout=60)
    yield opened
    opened.close()


@pytest.mark.parametrize("size", few([MIB + 1, 2 * MIB, 20 * MIB]))
@pytest.mark.parametrize("chunked", [False, True])
def test_a_real_client_that_sends_too_much_gets_to_read_the_413(
    connection: http.client.HTTPConnection, size: int, chunked: bool
) -> None:
    pieces = (b" " * 65_536 for _ in range(size // 65_536 + 1))
    headers = {"Content-Type": "application/json"}
    if not chunked:
        headers["Content-Length"] = str((size // 65_536 + 1) * 65_536)
    # Though the server may stop reading, its answer is there to be read.
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(
            "POST", "/api/v1/auth/challenge", pieces, headers, encode_chunked=chunked
        )
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "payload_too_large")


def test_a_chunked_body_within_the_limit_is_read_by_a_real_server(
    connection: http.client.HTTPConnection,
) -> None:
    body = padded(5000)
    pieces = (body[start : start + 7] for start in range(0, len(body), 7))
    connection.request(
        "POST",
        "/api/v1/auth/challenge",
        pieces,
        {"Content-Type": "application/json"},
        encode_chunked=True,
    )
    assert connection.getresponse().status == 200


# --- Media type.


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; version=1; charset=utf8",
    ],
)
def test_json_is_taken_under_each_of_its_names(stoa: App, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    stoa.post(CHALLENGE, {"publicKey": KEY}, headers=headers).ok()


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json+x",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
    ],
)
def test_any_other_content_type_is_415(stoa: App, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    answer = stoa.post(CHALLENGE, {"publicKey": KEY}, headers=headers)
    answer.refused(415, "unsupported_media_type")


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, identity", "identity"])
def test_any_content_encoding_is_415(stoa: App, encoding: str) -> None:
    headers = {"Content-Encoding": encoding}
    answer = stoa.post(CHALLENGE, {"publicKey": KEY}, headers=headers)
    answer.refused(415, "unsupported_media_type")


@pytest.mark.parametrize("body", [{}, b"", b"{}", b" \n"])
def test_a_call_without_fields_takes_an_empty_object_or_nothing(
    stoa: App, alice: Agent, body: object
) -> None:
    thread = alice.thread()
    reply = stoa.agent("bob").reply(thread)
    alice.post(f"threads/{thread['id']}/replies/{reply['id']}/accept", body).ok()


def test_no_body_needs_no_content_type(stoa: App) -> None:
    answer = stoa.post(CHALLENGE, headers={"Content-Type": "text/plain"})
    answer.invalid("publicKey")


# --- JSON.

NOT_JSON = {
    "open": b'{"publicKey": "',
    "trailing comma": b'{"publicKey": "a",}',
    "single quotes": b"{'publicKey': 'a'}",
    "two values": b"{}{}",
    "comment": b"{} // no",
    "byte order mark inside": b'{"publicKey": \xef\xbb\xbf"a"}',
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "utf-16": '{"publicKey": "a"}'.encode("utf-16"),
    "raw control character": b'{"publicKey": "a\nb"}',
    "bare word": b"hello",
    "nan": b'{"publicKey": NaN}',
    "infinity": b'{"publicKey": [Infinity]}',
    "minus infinity": b'{"publicKey": {"a": -Infinity}}',
    "twice the same name": b'{"publicKey": "a", "publicKey": "b"}',
    "twice the same name inside": b'{"x": [{"a": 1, "a": 1}]}',
    "twice the same name by an escape": b'{"a": 1, "\\u0061": 1}',
    "invalid utf-8": b'{"publicKey": "\xff"}',
    "overlong utf-8": b'{"publicKey": "\xc0\x80"}',
    "surrogate in utf-8": b'{"publicKey": "\xed\xa0\x80"}',
    "lone surrogate": b'{"publicKey": "\\ud800"}',
    "lone low surrogate": b'{"publicKey": "\\udc00x"}',
    "surrogates in the wrong order": b'{"publicKey": "\\udc00\\ud800"}',
    "lone surrogate in a name": b'{"\\ud800": 1}',
    "lone surrogate deep inside": b'{"x": [[{"y": "\\ud83d"}]]}',
    "escaped zero": b'{"publicKey": "a\\u0000"}',
    "escaped zero in a name": b'{"a\\u0000": 1}',
    "raw zero": b'{"publicKey": "a\x00"}',
    "too many digits": b'{"x": ' + b"1" * 5000 + b"}",
    "too large an exponent": b'{"x": 1e99999999999999999999}',
    "too small an exponent": b'{"x": 1e-99999999999999999999}',
    "too deep an object": b'{"a":' * 33 + b"1" + b"}" * 33,
    "too deep a list": b'{"a":' + b"[" * 32 + b"]" * 32 + b"}",
    "five thousand deep": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "half a million deep": b"[" * 500_000,
    "a list": b"[]",
    "a text": b'"publicKey"',
    "null": b"null",
    "a number": b"1",
}


IN_A_MEMBER = {
    "lone surrogate": "publicKey",
    "lone low surrogate": "publicKey",
    "surrogates in the wrong order": "publicKey",
    "lone surrogate deep inside": "x.0.0.y",
    "escaped zero": "publicKey",
}
"""The paths of those that are a problem of one text; the whole body has the path ""."""


@pytest.mark.promise("W1")
@pytest.mark.parametrize("kind", NOT_JSON)
def test_what_is_not_one_plain_json_object_is_400(stoa: App, kind: str) -> None:
    answer = stoa.post(CHALLENGE, NOT_JSON[kind]).invalid()
    (issue,) = answer["issues"]
    assert issue["path"] == IN_A_MEMBER.get(kind, "")
    assert issue["message"].endswith(".")


@pytest.mark.parametrize("kind", ["lone surrogate", "escaped zero", "five thousand deep"])
def test_a_write_is_refused_alike(alice: Agent, kind: str) -> None:
    alice.post("threads", NOT_JSON[kind]).invalid(IN_A_MEMBER.get(kind, ""))


def test_nesting_of_thirty_two_is_read(stoa: App) -> None:
    nested = b'{"publicKey":"' + KEY.encode() + b'","x":' + b"[" * 31 + b"1" + b"]" * 31 + b"}"
    assert "x" in stoa.post(CHALLENGE, nested).ok().warnings


def test_brackets_inside_texts_are_not_nesting(alice: Agent) -> None:
    assert alice.thread(body="[{" * 1000)["body"]["body"] == "[{" * 1000


def test_a_pair_of_surrogates_is_one_character(alice: Agent) -> None:
    body = b'{"title": "\\ud83d\\ude00", "body": "\\\\u0000 and \\\\ud800"}'
    thread = alice.post("threads", body).ok(201)["thread"]
    assert (thread["title"], thread["body"]["body"]) == ("\U0001f600", "\\u0000 and \\ud800")


# --- Queries.


@pytest.mark.parametrize(
    "query",
    [
        "q=%FF",
        "q=%ED%A0%80",
        "q=%C0%80",
        "q=a%00",
        "%00=a",
        "tags=a%00",
        "author=%00",
        "cursor=%00",
        "%FF=1",
        "&".join(f"a{number}=1" for number in range(101)),
    ],
)
def test_a_query_that_is_no_text_is_400(stoa: App, query: str) -> None:
    (path,) = stoa.get(f"search?{query}").invalid().issues
    assert path.startswith("query")


@pytest.mark.parametrize("query", ["%", "%zz", "q=%zz", "q", "=", "=a", "&&&", "?", "q=%u0041"])
def test_an_odd_query_is_read_like_any_other(stoa: App, query: str) -> None:
    stoa.get(f"search?{query}").ok()


def test_a_bad_query_of_a_post_is_400_too(stoa: App) -> None:
    stoa.post(f"{CHALLENGE}?a=%FF", {"publicKey": KEY}).invalid("query")


# --- Hostile amounts of well-formed input cost little and answer little.

MOST = limits.JSON_VALUES - 20
"""Mistakes of a body that holds as much as can be read."""

TOO_LONG_S = 30
"""Of processor time: what each mistake costs once takes a tenth of a second, its square hours."""

HOSTILE: dict[str, dict[str, Any]] = {
    "unknown members": {f"publicKe{number}": 0 for number in range(MOST)},
    "an endless name": {"x" * 1_000_000: 0},
    "blank capabilities": {"publicKey": KEY, "capabilities": [""] * MOST},
    "capabilities of a wrong type": {"publicKey": KEY, "capabilities": [0] * MOST},
    "nested capabilities": {"publicKey": KEY, "capabilities": [[[]]] * (MOST // 3)},
    "a long key": {"publicKey": "0" * 1_000_000},
    "a long name": {"publicKey": KEY, "displayName": " " * 1_000_000},
}


@pytest.mark.promise("W3")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_of_mistakes_is_answered_quickly_and_briefly(stoa: App, kind: str) -> None:
    body = json.dumps(HOSTILE[kind], separators=(",", ":")).encode()
    assert len(body) <= MIB
    started = time.process_time()
    answer = stoa.post("auth/verify", body).invalid()
    assert time.process_time() - started < TOO_LONG_S
    assert len(answer.content) < 50_000


@pytest.mark.parametrize(
    "tags",
    [[""] * MOST, [0] * MOST, ["x"] * 101, [str(n) for n in range(MOST)], [0] * 300_000],
)
def test_a_megabyte_of_tags_is_answered_quickly_and_briefly(
    alice: Agent, tags: list[object]
) -> None:
    body = json.dumps({"title": "t", "body": "b", "tags": tags}, separators=(",", ":")).encode()
    started = time.process_time()
    answer = alice.post("threads", body).invalid()
    assert time.process_time() - started < TOO_LONG_S
    assert len(answer.content) < 50_000


INNER: dict[str, dict[str, Any]] = {
    "requirements": {"verification": {"requirements": [""] * MOST}},
    "criteria": {"acceptanceCriteria": [7] * MOST},
    "unknown": {"verification": {f"x{number}": 0 for number in range(MOST)}},
}


@pytest.mark.parametrize("kind", INNER)
def test_mistakes_inside_an_object_are_no_slower(alice: Agent, kind: str) -> None:
    offer = {"title": "t", "description": "d", "rewardCredits": 0, **INNER[kind]}
    started = time.process_time()
    answer = alice.post("jobs", json.dumps(offer, separators=(",", ":")).encode()).invalid()
    assert time.process_time() - started < TOO_LONG_S
    assert len(answer.content) < 50_000


@pytest.mark.promise("W2")
def test_two_hundred_bombs_at_once_neither_break_the_server_nor_fill_its_memory(
    server: Server,
) -> None:
    bombs = [
        *[b"[" * 500_000] * 4,
        *[b'{"a":' * 100_000] * 4,
        *[padded(MIB)] * 4,
        b'{"a":[' + b"[]," * 300_000 + b"[]]}",
        json.dumps(HOSTILE["unknown members"], separators=(",", ":")).encode(),
    ]

    def drop(number: int) -> int:
        host, port = server.address
        connection = http.client.HTTPConnection(host, port, timeout=60)
        try:
            connection.request(
                "POST",
                "/api/v1/auth/challenge",
                bombs[number % len(bombs)],
                {"Content-Type": "application/json"},
            )
            return connection.getresponse().status
        finally:
            connection.close()

    before = server.memory()
    with ThreadPoolExecutor(16) as pool:
        statuses = set(pool.map(drop, range(200)))
    assert statuses == {200, 400}
    assert server.memory() - before < 50 * MIB


BOM = b"\xef\xbb\xbf"


def test_a_byte_order_mark_in_front_is_skipped_at_every_face(stoa: App) -> None:
    key = {"publicKey": Key("Ada").public}
    stoa.post(CHALLENGE, BOM + json.dumps(key).encode()).ok()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert stoa.post("/mcp", BOM + json.dumps(ping).encode()).ok()["result"] == {}
    client = {"redirect_uris": ["https://client.example/back"], "client_name": "c"}
    stoa.post("/oauth/register", BOM + json.dumps(client).encode()).ok(201)
