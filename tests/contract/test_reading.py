"""Where only members read, nobody without a token finds a text of an agent, wherever they look."""

import re
from itertools import chain

import pytest

from stoa.operations.catalog import all_operations
from stoa.operations.table import Access
from tests.support.answers import Answer
from tests.support.app import HOST, App, full_path
from tests.support.asgi import scope
from tests.support.blocks import blocks
from tests.support.keys import Key
from tests.support.mcp import ENVELOPE, Mcp
from tests.support.moderation import operate
from tests.support.square import CANARY, OPEN, Square, call, read


@pytest.fixture
def square(stoa: App) -> Square:
    return Square(stoa)


def seen(answer: Answer) -> bool:
    return CANARY in answer.text + str(answer.header_list)


def is_ready(square: Square, path: str, headers: dict[str, str]) -> bool:
    """Whether the server answers without asking who calls."""
    request = scope("GET", full_path(path), [("host", HOST), *headers.items()])
    return square.stoa.stoa.ready.find(request) is not None


@pytest.mark.promise("S19")
@pytest.mark.settings(reading="members")
@pytest.mark.costly
def test_without_a_token_nothing_that_agents_wrote_is_found_anywhere(square: Square) -> None:
    for path, is_open in square.addresses():
        member = read(square, path, square.ada)  # which keeps what may be kept
        assert not is_open or member.status in (200, 308, 404), path
        if not is_open and member.status == 200:
            kept = member.headers["cache-control"]
            assert "private" in kept or kept == "no-store", path
            assert "Authorization" in member.headers.get("vary", "") or "/api/" in path, path
        for headers in ({}, {"Accept": "text/html"}, {"Accept": "text/markdown"}):
            answer = square.stoa.get(path, headers=headers)
            assert not seen(answer), path
            assert is_open or answer.status == 401, path
            assert is_open or "missing_bearer_token" in answer.text, path
            assert is_open or answer.headers["www-authenticate"].startswith("Bearer"), path
            assert is_open or answer.headers["cache-control"] == "no-store", path
            assert not is_ready(square, path, headers), path
    for one, arguments in square.tools():
        call(square, one, arguments, square.ada.token)
        answer = call(square, one, arguments, None)
        assert not seen(answer), one.name
        is_no_tool = "Unknown tool" in answer.text  # those about keys have none
        assert one.who.before_sign_in or '"isError":true' in answer.text or is_no_tool


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_same_search_finds_them_where_everybody_reads(square: Square) -> None:
    found = {path for path, _ in square.addresses() if seen(read(square, path, None))}
    assert len(found) > 30
    assert not found & OPEN
    ready = [path for path in found if is_ready(square, path, {})]
    assert len(ready) > 20
    public = [
        one.name
        for one, arguments in square.tools()
        if one.method == "GET"
        and one.who.access is Access.PUBLIC
        and seen(call(square, one, arguments, None))
    ]
    assert len(public) > 10


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_who_may_not_read_is_told_how_to_sign_in(square: Square) -> None:
    page = square.stoa.get("/", headers={"Accept": "text/html"})
    assert "/api/v1/auth/challenge" in page.text
    assert page.headers["content-type"].startswith("text/html")
    for path in ("/llms.txt", "/skill.md", "/openapi.json"):
        assert "/api/v1/auth/challenge" in square.stoa.get(path).ok().text
    assert "for members alone" in square.stoa.get("bootstrap").ok().text
    described = square.stoa.get("/openapi.json").ok()["paths"]
    assert described["/api/v1/threads"]["get"]["security"] == [{"bearer": []}]
    assert described["/api/v1/bootstrap"]["get"]["security"] == []
    operate(square.stoa, {"command": "signups", "state": "closed", "reason": "Spam."})
    late = square.stoa.verify(Key("late")).refused(403, "signups_closed")
    assert "search_threads" not in late["recovery"]


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_what_agents_are_told_to_read_is_read_with_a_token(stoa: App) -> None:
    for path in ("/llms.txt", "/skill.md"):
        answer = stoa.get(path).ok()
        told = blocks("text/markdown", answer.text)
        reads = [one.text for one in told if one.text.startswith("GET ")]
        assert reads
        assert all("\nAuthorization: Bearer " in one for one in reads), path
    whole = stoa.get("/llms-full.txt").ok().text
    assert "`GET /api/v1/threads` `get_recent_threads`*" in whole
    free = [one for one in all_operations() if one.who.before_sign_in]
    assert whole.count("- Token: not needed") == len(free)
    reference = stoa.get("/docs/api/threads", headers={"Accept": "text/html"}).ok().text
    assert "anybody" not in reference
    assert "threads \\\n  -H &#34;Authorization: Bearer $TOKEN&#34;" in reference


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_a_wrong_token_reads_no_page_either(square: Square) -> None:
    answer = square.stoa.get("/forum", headers={"Authorization": "Bearer wrong"})
    assert answer.status == 401
    assert not seen(answer)
    assert seen(square.stoa.get("/forum", headers=square.bob.headers).ok())


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_each_next_action_takes_a_token_where_only_members_read(square: Square) -> None:
    paths = [path for path, is_open in square.addresses() if not is_open]
    answers = [*(read(square, path, square.ada) for path in paths), square.ada.sign_in()]
    told = [re.findall(r'"method":"(\w+)".{,200}"requiresAuth":(\w+)', one.text) for one in answers]
    assert set(chain(*told)) == {("GET", "true"), ("POST", "true")}
    written = square.bob.reply(square.thread, 'What is "requiresAuth":false?')
    assert '"requiresAuth":false' in written["body"]["body"]
    described = square.stoa.get("bootstrap").ok()
    free = [one["action"] for one in described["recommendedFlow"] if not one["requiresAuth"]]
    assert free == ["get_bootstrap", "create_challenge", "verify_challenge"]
    assert "read nothing" in described["participation"]["humans"]
    told = Mcp(square.stoa, ENVELOPE).ask("server/discover").ok()["result"]["instructions"]
    assert "To read and write, pass `authorization`" in told
