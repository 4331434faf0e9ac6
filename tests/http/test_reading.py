"""What cannot be read is refused with sentences in the style of all validation messages."""

import asyncio
import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from stoa.domain import limits
from stoa.domain.errors import InputIssue, Refusal
from stoa.http.reading import body_bytes, parse_json, query_values
from tests.support.sentences import problems

BODIES = {
    b"{": "",
    b'{"a" 1}': "",
    b'{"a": 1 "b": 2}': "",
    b'{"a": "': "",
    b'{"a": 1} x': "",
    b'{"a": "\x01"}': "",
    b'{"a": "\\q"}': "",
    b'{"a": 1, "a": 2}': "",
    b'{"a": NaN}': "",
    b'{"a": 1e99999999999999999999}': "",
    b"\xff": "",
    b"[" * 40 + b"]" * 40: "",
    b"[" * 100_000: "",
    b"[" + b"1," * limits.JSON_VALUES + b"1]": "",
    b"[" + b'"",' * limits.JSON_VALUES + b'""]': "",
    b"[" + b"[]," * limits.JSON_VALUES + b"[]]": "",
    b'{"": [' + b"{}," * limits.JSON_VALUES + b"{}]}": "",
    b'{"\\ud800": 1}': "",
    b'{"a": "\\ud800"}': "a",
    b'{"a": [1, {"b": "\\u0000"}]}': "a.1.b",
    b'{"a": {"\\u0000": 1}}': "a",
    b'"\\ud800"': "",
}
QUERIES = {
    b"a=%FF": "query",
    b"a=1&a=2": "query.a",
    b"a=%00": "query.a",
    b"%00=a": "query",
    b"&".join(b"a%d=1" % number for number in range(101)): "query",
}


def refused(read: Callable[..., Any], *given: Any) -> InputIssue:
    with pytest.raises(Refusal) as refusal:
        read(*given)
    (issue,) = refusal.value.issues
    return issue


@pytest.mark.parametrize(("body", "path"), BODIES.items(), ids=range(len(BODIES)))
def test_a_body_that_cannot_be_read_is_refused_at_its_place(body: bytes, path: str) -> None:
    issue = refused(parse_json, body)
    assert (issue.path, problems(issue.message)) == (path, []), issue


@pytest.mark.parametrize(("query", "path"), QUERIES.items(), ids=range(len(QUERIES)))
def test_a_query_that_cannot_be_read_is_refused_at_its_place(query: bytes, path: str) -> None:
    issue = refused(query_values, query, {})
    assert (issue.path, problems(issue.message)) == (path, []), issue


def test_a_query_may_have_a_hundred_fields() -> None:
    query = b"&".join(b"a%d=1" % number for number in range(100))
    assert len(query_values(query, {})) == 100


@pytest.mark.parametrize("query", [b"a=1&b=x=y&&c&=d&e=", b"a=1&b=x%3Dy&&c&=%64&e="])
def test_a_query_means_the_same_with_and_without_escapes(query: bytes) -> None:
    assert query_values(query, {}) == {"a": "1", "b": "x=y", "": "d"}


MOST = limits.JSON_VALUES
CROWDED = {
    "items": (b"[" + b"1," * (MOST - 1) + b"1]", b"[" + b"1," * MOST + b"1]"),
    "texts": (b"[" + b'"",' * (MOST - 1) + b'""]', b"[" + b'",",' * MOST + b'""]'),
    "empty lists": (b"[" + b"[]," * (MOST // 2 - 1) + b"[]]", b"[" + b"[]," * MOST + b"[]]"),
    "members": tuple(
        b"{" + b",".join(b'"%d":"\\"{"' % number for number in range(count)) + b"}"
        for count in (MOST, MOST + 1)
    ),
    "a text": (
        b'["' + rb"[{,\",\\" * MOST + b'"]',
        b'["' + rb"\\\"" * 100_000 + b'"' + b",1" * MOST + b"]",
    ),
    "quotes": (b'["' + b"'," * 2 * MOST + b'"]', b'"," ' * 250_000),
}
"""By what there is much of: a body with as much as can be read, and one with more."""


@pytest.mark.promise("L34")
@pytest.mark.parametrize("kind", CROWDED)
def test_of_a_body_with_too_many_members_and_items_none_is_made(kind: str) -> None:
    """Else it would be refused for what stands behind them, which is no JSON."""
    most, more = CROWDED[kind]
    assert len(more) < limits.BODY_BYTES
    parse_json(most)
    assert "Must be JSON" in refused(parse_json, most + b"!").message
    assert "20,000" in refused(parse_json, more + b"!").message


@pytest.mark.parametrize("seed", range(20))
def test_members_and_items_are_counted_outside_of_texts(seed: int) -> None:
    made = random.Random(seed)

    def value(depth: int) -> Any:
        inner = [value(depth + 1) for _ in range(made.randrange(4))] if depth < 4 else []
        text = "".join(made.choices('",[]{}\\x', k=made.randrange(5)))
        named = {f"{text}{number}": one for number, one in enumerate(inner)}
        return made.choice([inner, named, text, 1, None])

    def counted(one: Any) -> int:
        if isinstance(one, dict | list):
            whole = cast("dict[str, Any] | list[Any]", one)
            items = list(whole.values()) if isinstance(whole, dict) else whole
            return max(len(items), 1) + sum(map(counted, items))
        return 0

    for _ in range(50):
        whole = [value(0), value(0)]
        body = json.dumps(whole).encode()
        assert parse_json(body, most=counted(whole)) == whole
        refused(partial(parse_json, most=counted(whole) - 1), body)


def test_a_length_that_is_no_number_does_not_hide_the_body() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    headers = {b"content-length": b"two", b"content-type": b"application/json"}
    assert asyncio.run(body_bytes(receive, headers)) == b"{}"
