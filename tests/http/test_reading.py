"""What cannot be read is refused with sentences in the style of all validation messages."""

from collections.abc import Callable
from typing import Any

import pytest

from stoa.domain.errors import Issue, Refusal
from stoa.http.reading import parse_json, query_values
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


def refused(read: Callable[..., Any], *given: Any) -> Issue:
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
