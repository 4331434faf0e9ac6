"""What every answer of the web floor goes through, on answers made for it."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stoa.calls.encode import weak_tag
from stoa.http.answering import CORS
from stoa.web.caching import conditional, for_programs


def asked(*known: str) -> Request:
    """A GET with these lines of `If-None-Match`."""
    headers = [(b"if-none-match", line.encode()) for line in known]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": headers})


def test_the_etag_is_that_of_the_body() -> None:
    tags = {body: conditional(asked(), Response(body)).headers["etag"] for body in ("a", "b")}
    assert tags == {"a": weak_tag(b"a"), "b": weak_tag(b"b")}
    assert len({*tags.values()}) == 2


def test_an_answer_may_bring_its_own_etag() -> None:
    answer = Response("a", headers={"ETag": 'W/"own"'})
    assert conditional(asked(weak_tag(b"a")), answer).status_code == 200
    assert conditional(asked('"own"'), answer).status_code == 304
    assert answer.headers.getlist("etag") == ['W/"own"']


def test_what_is_no_success_is_left_as_it_is() -> None:
    answer = conditional(asked("*"), RedirectResponse("/elsewhere"))
    assert answer.status_code == 307
    assert "etag" not in answer.headers


@pytest.mark.parametrize("line", [0, 1])
def test_a_tag_counts_in_each_line_of_the_header(line: int) -> None:
    known = ['"x"', '"y"']
    known[line] += f", {weak_tag(b'a')}"
    assert conditional(asked(*known), Response("a")).status_code == 304


def test_every_header_but_those_of_a_body_stays_on_304() -> None:
    headers = {"Content-Security-Policy": "none", "Cache-Control": "public", "Link": "<x>"}
    answer = conditional(asked("*"), Response("a", headers=headers, media_type="text/plain"))
    expected = {name.lower(): value for name, value in headers.items()}
    assert dict(answer.headers) == {**expected, "etag": weak_tag(b"a")}
    assert answer.body == b""


def test_what_is_for_programs_has_the_cors_headers_of_the_api() -> None:
    async def endpoint(_: Request) -> Response:
        return Response("a")

    async def answered() -> Response:
        return await for_programs(endpoint)(asked())

    answer = asyncio.run(answered())
    assert answer.raw_headers[-len(CORS) :] == CORS
