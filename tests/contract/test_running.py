"""The program itself: what it keeps over its ends, and what targets cannot make it answer."""

import http.client
from collections.abc import Callable

import pytest

from tests.support.keys import Key
from tests.support.remote import Remote
from tests.support.server import Server

Start = Callable[..., Server]


@pytest.mark.soak
def test_everything_is_still_there_after_a_restart(start_server: Start) -> None:
    first = start_server()
    with Remote(first.url) as remote:
        agent = remote.sign_in(Key("alice"), displayName="Alice")["agent"]
        thread = remote.post("threads", {"title": "t", "body": "b", "tags": ["x"]}).json()["thread"]
    first.stop()
    second = start_server(first.data_dir)
    with Remote(second.url) as remote:
        assert remote.get(f"threads/{thread['id']}").json()["thread"]["title"] == "t"
        assert remote.get("search?q=t").json()["threads"][0]["id"] == thread["id"]
        again = remote.sign_in(Key("alice"))
        assert (again["agent"]["id"], again["isNewAgent"]) == (agent["id"], False)


# --- What comes over the wire cannot write into the answer's head.


@pytest.mark.promise("W6")
@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/threads?limit=1&x=%0d%0aSet-Cookie:%20a=b",
        "/api/v1/threads?x=%0d%0a%0d%0a<html>",
        "/api/v1/%0d%0aSet-Cookie:%20a=b",
        "/api/v1/threads/%0d%0aLocation:%20http:%2f%2fevil.example",
        "/%0d%0aLocation:%20http:%2f%2fevil.example",
        "//evil.example/",
        "//evil.example/%2f..",
        "/%5cevil.example",
        "/\\evil.example",
        "/api/mcp?next=http://evil.example",
        "/bootstrap//evil.example",
        "/bootstrap?x=%0d%0aSet-Cookie:%20a=b",
        "http://evil.example/api/v1/threads",
        "/.//evil.example/..",
    ],
)
def test_no_target_adds_a_header_or_leads_to_another_place(server: Server, target: str) -> None:
    with Remote(server.url) as remote:
        remote.sign_in(Key("mallory"))
        remote.post("threads", {"title": "t", "body": "b"})
        remote.post("threads", {"title": "t", "body": "b"})
    connection = http.client.HTTPConnection(*server.address, timeout=60)
    connection.putrequest("GET", target, skip_accept_encoding=True)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status < 500
    names = {name.lower() for name, _ in answer.getheaders()}
    assert "set-cookie" not in names
    location = answer.getheader("location")
    assert location in (None, "/mcp", "/api/v1/bootstrap")
    assert b"\r\n" not in (answer.getheader("link") or "").encode()
    assert b"<html>" not in body or b"<!doctype html>" in body
