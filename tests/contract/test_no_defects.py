"""No path, page, feed, document, number or tool argument of a stranger is ever a defect (500).

Of many hostile texts in many places `make test` sends a fourth, so that each text and each place is
met, and `make soak` the others.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoa.operations.bootstrap import DOCUMENTS
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.schemas.validation import shapes
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.mcp import ERAS, Mcp
from tests.support.routes import web_paths
from tests.support.soaking import few, fourth

pytestmark = pytest.mark.checks_input

DEFECT = 500
PARTS = 4
NOBODY = "01arz3ndektsv4rrffq69g5fav"

# --- Paths.

SEGMENTS = (
    *("{}", "{threadId}", "{tag:path}", "%7B%7D", "%7BthreadId%7D", "%7B0%7D", "%7B"),
    *("%00", "a%00b", "%FF", "%C3%28", "%ED%A0%80", "%EF%BF%BE", "%F4%90%80%80", "%", "%zz"),
    *(".", "..", "%2e%2e", "%2F", "a%2Fb", "..%2F..", "", "%20", "%0A", "%0D%0A", "%3F", "%23"),
    *("%25s", "$1", "%3Aid", "'%20OR%201=1", "%22", "*", "null", "-1", "1e999999999", "9" * 5000),
    *("a" * 20_000, "%F0%9F%98%80" * 2000, "%CC%80" * 2000, "th_", f"th_{NOBODY}"),
)


def declared(stoa: App, method: str) -> list[str]:
    """The paths of all routes, with their fields in braces; for POST without the pages, feeds and
    documents, which are only read."""
    fixed = ["/mcp", "/healthz", "/readyz", "/api", "/api/mcp", "/api/v1", "/.well-known", "/"]
    found = {*(one.path for one in all_operations()), *fixed}
    if method == "GET":
        found |= {*web_paths(stoa.settings), *DOCUMENTS, "/bootstrap"}
    return sorted(found)


def hostile(path: str) -> Iterator[str]:
    """The path with each hostile text in place of a field or of its end, in all its braces, and
    behind it."""
    parts = path.split("/")
    fields = {place for place, part in enumerate(parts) if "{" in part}
    for text in SEGMENTS:
        for place in fields | {len(parts) - 1}:
            # Of `{tag:path}.atom` the ending stays.
            whole = [*parts[:place], text + parts[place].partition("}")[2], *parts[place + 1 :]]
            yield "/".join(text if "{" in part else part for part in whole)
        yield f"{path}/{text}"


@pytest.mark.promise("W16")
@pytest.mark.parametrize("part", few(range(PARTS)))
@pytest.mark.parametrize(
    ("engine", "method"), [("sqlite", "GET"), ("sqlite", "POST"), ("postgresql", "GET")]
)
def test_no_text_in_any_path_is_a_defect(stoa: App, method: str, part: int) -> None:
    paths = declared(stoa, method)
    assert "/api/v1/threads/{threadId}" in paths
    assert ({"/feeds/tags/{tag:path}.atom", "/llms.txt"} <= {*paths}) == (method == "GET")
    targets = sorted({target for path in paths for target in hostile(path)})[part::PARTS]
    statuses = {target: stoa.call(method, target).status for target in targets}
    assert [target[:200] for target in targets if statuses[target] >= DEFECT] == []
    assert 429 not in statuses.values()


ANY_BYTES = st.lists(st.binary(max_size=20) | st.sampled_from([b"{}", b"\0", b"..", b"\xff"]))
BELOW = ["/", "/api/v1/", "/api/v1/threads/", "/feeds/tags/", "/tags/", "/agents/", "/sitemap/"]


@given(
    below=st.sampled_from(BELOW),
    segments=ANY_BYTES,
    name=st.binary(max_size=8),
    value=st.binary(max_size=8),
)
@settings(
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_bytes_in_a_path_or_query_are_a_defect(
    stoa: App, below: str, segments: list[bytes], name: bytes, value: bytes
) -> None:
    path = below + "/".join(map(quote_from_bytes, segments))
    query = f"{quote_from_bytes(name)}={quote_from_bytes(value)}"
    assert stoa.get(f"{path}?{query}").status < DEFECT


# --- Numbers.

NUMBERS = (
    *("1e999999999", "-1e999999999", "1e-999999999", "-1e-999999999", "1e999999999999999999999"),
    *("0e999999999", "0e-999999999", "-0", "-0.0", "-0e-0", "5.0", "1e2", "1E+1000", "1.5e-7"),
    *("9" * 17 + ".0", "9" * 18 + ".0", "9" * 19 + ".0", "9" * 30, "-" + "9" * 30),
    *("9" * 4300, "9" * 4301, "9" * 5000, "1." + "0" * 5000, "1." + "0" * 5000 + "1"),
    *("0." + "0" * 100_000 + "1", "1" * 100_000, "1" * 100_000 + ".5", "1e" + "9" * 5000),
)
WITHIN = NUMBERS[::5]
"""Those that are also sent within a list and an object."""
OTHERS = {
    "title": "t",
    "body": "b",
    "description": "d",
    "threadId": f"th_{NOBODY}",
    "replyId": f"rp_{NOBODY}",
    "jobId": f"job_{NOBODY}",
    "agentId": f"ag_{NOBODY}",
    "reportId": f"rpt_{NOBODY}",
    "watchId": f"wt_{NOBODY}",
    "webhookId": f"wh_{NOBODY}",
    "submissionId": f"js_{NOBODY}",
    "artifact": "0",
    "messageId": f"jm_{NOBODY}",
    "outcomeId": f"out_{NOBODY}",
    "receiptId": f"rc_{NOBODY}",
    "action": "hide",
    "reason": "r",
    "reasonCode": "other",
    "outcome": "upheld",
    "code": "00000000",
    "clientId": "c",
}
HOSTILE_TEXT = "@"
"""Stands in JSON for what is put there raw, since no encoder writes it."""

TOOLS = [one for one in all_operations() if one.tool]
PLACES = {operation.name: place for place, operation in enumerate(all_operations())}


def numbers(operation: Operation, part: int) -> tuple[str, ...]:
    """One of the parts of the numbers; the first begins elsewhere for the next operation."""
    return NUMBERS[(PLACES[operation.name] + part) % PARTS :: PARTS]


def bodies(operation: Operation, number: str) -> Iterator[bytes]:
    """The input of an operation as JSON, with the number for each of its fields in turn."""
    known = shapes(operation.request)
    good = {other: text for other, text in OTHERS.items() if other in known}
    nested = [[HOSTILE_TEXT], {"credits": HOSTILE_TEXT, "x": HOSTILE_TEXT}]
    for name in known:
        for value in (HOSTILE_TEXT, *(nested if number in WITHIN else ())):
            body = json.dumps({**good, name: value})
            yield body.replace(f'"{HOSTILE_TEXT}"', number).encode()


@pytest.mark.parametrize("part", few(range(PARTS)))
@pytest.mark.parametrize("operation", fourth(all_operations(), 1), ids=lambda one: one.name)
def test_no_number_in_a_request_is_a_defect(stoa: App, operation: Operation, part: int) -> None:
    alice = stoa.agent("alice")
    path = operation.path.format_map(OTHERS)
    for number in numbers(operation, part):
        if operation.method == "POST":
            answers = [alice.post(path, body) for body in bodies(operation, number)]
        else:
            answers = [alice.get(f"{path}?{name}={number}") for name in shapes(operation.request)]
        assert [answer.content for answer in answers if answer.status >= DEFECT] == [], number[:50]


def called(agent: Agent, tool: str | None, arguments: bytes) -> Answer:
    """A call of a tool with its arguments given as JSON; what it answered must be no defect."""
    params = b'{"name":"%b","arguments":%b}' % ((tool or "").encode(), arguments)
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params
    answer = Mcp(agent.app).send(message, agent.headers)
    assert answer.status < DEFECT, answer.content
    assert b"forum_error" not in answer.content
    return answer


@pytest.mark.parametrize("part", few(range(PARTS)))
@pytest.mark.parametrize("operation", fourth(TOOLS, 2), ids=lambda one: one.name)
def test_no_number_in_an_argument_is_a_defect(stoa: App, operation: Operation, part: int) -> None:
    alice = stoa.agent("alice")
    for number in numbers(operation, part):
        for body in bodies(operation, number):
            called(alice, operation.tool, body)


def test_a_whole_number_in_an_argument_is_read_however_it_is_written(stoa: App) -> None:
    alice = stoa.agent("alice")
    for text, limit in (("5.0", 5), ("5e0", 5), ("0.5e1", 5), ("5." + "0" * 5000, 5), ("1e9", 100)):
        answer = called(alice, "search_threads", b'{"limit":%b}' % text.encode())["result"]
        assert answer["structuredContent"]["limit"] == limit
    for text in ("5." + "0" * 5000 + "1", "1e-999999999", "5.5", "1e999999999", "-5"):
        answer = called(alice, "search_threads", b'{"limit":%b}' % text.encode())["result"]
        assert answer["structuredContent"]["issues"][0]["path"] == "limit", text[:30]


# --- Anything else in a message.

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["{}", "\0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
NAMES = [operation.tool for operation in all_operations() if operation.tool]


@given(
    tool=st.sampled_from(NAMES) | st.text(max_size=20),
    arguments=st.dictionaries(st.sampled_from([*OTHERS, "limit", "tags", "include"]), JSON) | JSON,
    extra=st.dictionaries(st.sampled_from(["id", "method", "params", "_meta", "jsonrpc"]), JSON),
)
@settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@pytest.mark.parametrize("version", few([*ERAS][::-1]))
def test_no_message_is_a_defect(
    stoa: App, version: str, tool: str, arguments: Any, extra: dict[str, Any]
) -> None:
    mcp = Mcp(stoa, version)
    message = mcp.message("tools/call", {"name": tool, "arguments": arguments}) | extra
    headers = {"mcp-protocol-version": version, "mcp-method": "tools/call"}
    answer = mcp.send(json.dumps(message).encode(), headers)
    assert answer.status < DEFECT, answer.content
    assert b"forum_error" not in answer.content
