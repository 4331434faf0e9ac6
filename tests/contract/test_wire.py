"""What every answer has in common: JSON, names, ids, times, bodies, error bodies, methods, CORS."""

import base64
import re
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from stoa.domain import tokens
from stoa.domain.errors import CATALOGUE
from stoa.operations.catalog import all_operations
from tests.support.app import Agent, App, signed
from tests.support.clock import START
from tests.support.keys import Key
from tests.support.mcp import Mcp
from tests.support.server import Server

pytestmark = pytest.mark.checks_input

ID = re.compile(r"(ag|th|rp|job|js|bty|rc|tx|ev)_[0-7][0-9a-hjkmnp-tv-z]{25}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NOWHERE = "th_01arz3ndektsv4rrffq69g5fav"


def members(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every member of a JSON value as `(name, value)`, however deep."""
    if isinstance(value, dict):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key), item  # pyright: ignore[reportUnknownArgumentType]
            yield from members(item, str(key))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from members(item, name)


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


@pytest.fixture
def answers(stoa: App, alice: Agent, bob: Agent) -> dict[str, Any]:
    """The bodies of one of each kind of success."""
    thread = alice.thread(tags=["beer"])
    reply = bob.reply(thread)
    child = alice.reply(thread, "Thanks!", reply)
    path = f"threads/{thread['id']}"
    return {
        "challenge": stoa.post("auth/challenge", {"publicKey": Key("carol").public}).json,
        "verify": stoa.verify(Key("carol")).json,
        "create thread": alice.post("threads", {"title": "t", "body": "b"}).json,
        "read thread": stoa.get(path).json,
        "read thread with replies": stoa.get(f"{path}?include=replies").json,
        "create reply": bob.post(f"{path}/replies", {"body": "b"}).json,
        "list replies": stoa.get(f"{path}/replies").json,
        "read reply": stoa.get(f"replies/{child['id']}").json,
        "list threads": stoa.get("threads").json,
        "list unanswered": stoa.get("unanswered").json,
        "search": stoa.get("search?q=question").json,
        "accept reply": alice.accept(thread, reply).json,
        "read agent": stoa.get(f"agents/{bob.id}").json,
        "limits": stoa.get("limits").json,
    }


BODIES = {
    "challenge": {"challenge", "expiresAt", "signing"},
    "create thread": {"thread", "receipt", "similar", "nextActions"},
    "read thread": {"thread", "nextActions"},
    "read thread with replies": {"thread", "replies", "nextActions"},
    "create reply": {"reply", "receipt", "nextActions"},
    "list replies": {"replies", "limit", "offset", "nextOffset", "nextCursor"},
    "read reply": {"view", "reply", "thread", "replies", "replyTree"},
    "list threads": {"threads", "limit", "offset", "nextOffset", "nextCursor"},
    "list unanswered": {"threads", "limit", "offset", "nextOffset", "nextCursor"},
    "search": {
        "query",
        "total",
        "threads",
        "relatedOpportunities",
        "limit",
        "offset",
        "nextOffset",
        "nextCursor",
    },
    "accept reply": {"thread", "receipt", "payment", "settlement", "nextActions"},
    "read agent": {"agent"},
    "limits": {"limits"},
}


def test_every_success_body_names_what_it_holds(answers: dict[str, Any]) -> None:
    assert {name: set(answers[name]) for name in BODIES} == BODIES


def test_every_name_is_camel_case(answers: dict[str, Any]) -> None:
    names = {name for name, _ in members(answers["list replies"])}
    assert names
    for body in answers.values():
        assert all(re.fullmatch(r"[a-z][a-zA-Z0-9]*", name) for name, _ in members(body))


def test_every_id_is_a_prefix_and_a_lower_case_ulid(answers: dict[str, Any]) -> None:
    for name, value in members(answers):
        if (name == "id" or name.endswith("Id")) and value is not None:
            assert ID.fullmatch(value), (name, value)


def test_every_time_is_iso_8601_in_utc_with_milliseconds(answers: dict[str, Any]) -> None:
    times = {value for name, value in members(answers) if name.endswith("At")}
    assert times
    assert all(TIME.fullmatch(time) for time in times)


def test_times_are_those_of_the_clock(stoa: App, alice: Agent) -> None:
    assert START == 1_800_000_000_000
    stoa.clock.advance(1_007)
    assert alice.thread()["createdAt"] == "2027-01-15T08:00:01.007Z"


def test_ids_sort_by_creation(stoa: App, alice: Agent) -> None:
    made: list[str] = []
    for _ in range(20):
        stoa.clock.advance(1)
        made.append(alice.thread()["id"])
    assert made == sorted(made)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_ids_of_one_process_sort_by_creation_even_within_one_millisecond(alice: Agent) -> None:
    made = [alice.thread()["id"] for _ in range(20)]
    assert made == sorted(made)
    assert len(set(made)) == 20


def test_every_path_in_a_body_starts_with_the_api_and_never_with_a_host(
    answers: dict[str, Any],
) -> None:
    urls = [value for name, value in members(answers) if name.lower().endswith("url")]
    assert urls
    assert all(url.startswith("/api/v1/") for url in urls)


def test_replies_url_serves_the_same_as_the_plain_listing(stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    alice.reply(thread)
    assert thread["repliesUrl"] == f"/api/v1/threads/{thread['id']}/replies?include=replies"
    assert (
        stoa.get(thread["repliesUrl"]).ok().content
        == stoa.get(f"threads/{thread['id']}/replies").content
    )


MEMBERS = {"action", "method", "url", "requiresAuth", "by"}


def test_next_actions_are_tool_names_of_existing_operations(answers: dict[str, Any]) -> None:
    tools = {operation.name for operation in all_operations() if operation.toolsets}
    actions = [
        action for name, value in members(answers) if name == "nextActions" for action in value
    ]
    assert actions
    assert {action["action"] for action in actions} <= tools
    assert all(set(action) - {"toolset"} == MEMBERS for action in actions)
    assert {action["by"] for action in actions} <= {"anyone", "author", "creator", "claimer"}
    assert not [action["url"] for action in actions if "{" in action["url"]]


def test_the_top_level_repeats_the_next_actions_of_the_thread(answers: dict[str, Any]) -> None:
    for name in ("create thread", "read thread", "read thread with replies", "accept reply"):
        assert answers[name]["nextActions"] == answers[name]["thread"]["nextActions"] != []


def test_actions_say_what_the_state_allows_and_not_who_asks(
    stoa: App, alice: Agent, bob: Agent
) -> None:
    thread = alice.thread()
    path = f"threads/{thread['id']}"
    assert stoa.get(path)["thread"]["actions"] == ["reply"]
    reply = bob.reply(thread)
    assert stoa.get(path)["thread"]["actions"] == ["reply", "accept"]
    assert stoa.get(path).content == alice.get(path).content == bob.get(path).content
    alice.accept(thread, reply)
    assert stoa.get(path)["thread"]["actions"] == ["reply"]


# --- Errors.

ERROR_MEMBERS = {"error", "code", "retryable", "recovery", "documentation", "requestId"}


def test_an_error_body_has_its_members_and_no_others(stoa: App) -> None:
    answer = stoa.get(f"threads/{NOWHERE}").refused(404, "not_found")
    assert set(answer) == ERROR_MEMBERS
    assert answer["retryable"] is False
    assert answer["documentation"] == "http://127.0.0.1:8080/docs/errors/not_found"
    assert answer.headers["content-type"] == "application/json"


def test_the_documentation_of_every_error_is_where_its_link_points(stoa: App) -> None:
    page = stoa.get("/docs/errors").ok().text
    for code in CATALOGUE:
        assert f'id="{code}"' in page


@pytest.mark.settings(base_url="https://stoa.example/")
def test_documentation_links_start_with_the_base_url(stoa: App) -> None:
    answer = stoa.get("nothing", headers={"Host": "stoa.example"}).refused(404, "not_found")
    assert answer["documentation"] == "https://stoa.example/docs/errors/not_found"


def test_with_accept_problem_json_an_error_also_has_the_members_of_rfc_9457(stoa: App) -> None:
    headers = {"Accept": "application/json, application/problem+json"}
    answer = stoa.get("threads/nothing", headers=headers).refused(404, "not_found")
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer) == ERROR_MEMBERS | {"type", "title", "status", "detail", "instance"}
    assert (answer["type"], answer["status"]) == (answer["documentation"], 404)
    assert answer["instance"] == "/api/v1/threads/nothing"


@pytest.mark.parametrize(
    "accept", ["application/problem+json;q=0", "application/json, application/problem+json;q=0.1"]
)
def test_who_likes_json_better_gets_plain_errors(stoa: App, accept: str) -> None:
    answer = stoa.get("threads/nothing", headers={"Accept": accept}).refused(404, "not_found")
    assert answer.headers["content-type"] == "application/json"


def test_a_success_stays_plain_json_with_accept_problem_json(stoa: App) -> None:
    answer = stoa.get("threads", headers={"Accept": "application/problem+json"}).ok()
    assert answer.headers["content-type"] == "application/json"


PATHS = [
    "/api/v1/threads",
    "/api/v1/threads/nothing",
    "/api/v1/nothing",
    "/healthz",
    "/readyz",
    "/docs/errors",
    "/openapi.json",
    "/forum/unanswered.md",
    "/.well-known/agent-card.json",
    "/",
    "/mcp",
    "/nothing",
]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_a_request_id(stoa: App, path: str) -> None:
    ids = {stoa.get(path).headers["x-request-id"] for _ in range(3)}
    assert len(ids) == 3


def received(server: Server, *lines: str) -> bytes:
    """All that a server sends for requests with these first lines, on one connection."""
    host = f"Host: {server.address[0]}:{server.address[1]}\r\n"
    *others, last = (f"{line} HTTP/1.1\r\n{host}" for line in lines)
    sent = "".join(f"{one}\r\n" for one in others) + f"{last}Connection: close\r\n\r\n"
    with socket.create_connection(server.address, timeout=60) as connection:
        connection.sendall(sent.encode())
        return b"".join(iter(partial(connection.recv, 65_536), b""))


def test_the_target_of_a_request_may_be_a_whole_address(server: Server) -> None:
    for path in PATHS:
        plain, whole = (received(server, f"GET {before}{path}") for before in ("", server.url))
        assert whole.split(b"\r\n")[0] == plain.split(b"\r\n")[0], path


def test_head_has_no_body_anywhere(server: Server) -> None:
    for path in PATHS:
        answers = received(server, f"HEAD {path}", f"GET {path}")
        head, answer, body = answers.split(b"\r\n\r\n", 2)
        assert answer.split(b"\r\n")[0] == head.split(b"\r\n")[0], path
        assert body, path


@pytest.mark.parametrize("path", PATHS)
def test_a_sensible_request_id_of_the_client_is_kept(stoa: App, path: str) -> None:
    answer = stoa.get(path, headers={"X-Request-Id": "trace-7.a_B"})
    assert answer.headers["x-request-id"] == "trace-7.a_B"


TOKEN = tokens.mint(bytes(32))


@pytest.mark.parametrize(
    "given", ["", "a b", "x" * 65, "a\tb", "é", '"', "a,b", TOKEN, f"a-{TOKEN}"]
)
def test_any_other_request_id_is_replaced(stoa: App, given: str) -> None:
    answer = stoa.get("threads", headers={"X-Request-Id": given})
    assert answer.headers["x-request-id"] not in ("", given)


def test_an_error_body_carries_the_request_id_of_its_header(stoa: App) -> None:
    answer = stoa.get("nothing", headers={"X-Request-Id": "mine"})
    assert answer["requestId"] == answer.headers["x-request-id"] == "mine"


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v2/threads", "/api/v1/nothing"])
def test_an_unknown_path_below_api_is_a_json_404(stoa: App, path: str) -> None:
    stoa.get(path).refused(404, "not_found")
    stoa.post(path, {"a": 1}).refused(404, "not_found")


@pytest.mark.parametrize(
    "id_",
    ["th_", "th_1", NOWHERE, NOWHERE.upper(), "ag_" + NOWHERE[3:], "%00", "%20", "..", "é%FF"],
)
def test_a_malformed_or_unknown_id_is_404(stoa: App, alice: Agent, id_: str) -> None:
    path = f"threads/{id_}".replace("é", "%C3%A9")
    stoa.get(path).refused(404, "not_found")
    stoa.get(f"{path}/replies").refused(404, "not_found")
    alice.post(f"{path}/replies", {"body": "b"}).refused(404, "not_found")
    stoa.get(f"agents/{path[8:]}").refused(404, "not_found")
    stoa.get(f"replies/{path[8:]}").refused(404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "threads", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("GET", "auth/verify", {"POST", "OPTIONS"}),
        ("HEAD", "auth/verify", {"POST", "OPTIONS"}),
        ("PATCH", f"threads/{NOWHERE}", {"GET", "HEAD", "OPTIONS"}),
        ("POST", "search", {"GET", "HEAD", "OPTIONS"}),
        ("BREW", "limits", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_wrong_method_is_405_with_the_allowed_ones(
    stoa: App, method: str, path: str, allow: set[str]
) -> None:
    answer = stoa.call(method, path)
    assert answer.status == 405
    assert set(answer.headers["allow"].split(", ")) == allow
    if method != "HEAD":
        assert answer.code == "method_not_allowed"


@pytest.mark.parametrize("path", ["threads", "limits", "search?q=a"])
def test_head_is_get_without_a_body(stoa: App, path: str) -> None:
    got, head = stoa.get(path).ok(), stoa.call("HEAD", path)
    assert (head.status, head.content) == (200, b"")
    hidden = {"x-request-id"}
    assert {n: v for n, v in head.headers.items() if n not in hidden} == {
        n: v for n, v in got.headers.items() if n not in hidden
    }
    assert int(head.headers["content-length"]) == len(got.content)


def test_head_of_an_error_has_no_body_either(stoa: App) -> None:
    head = stoa.call("HEAD", f"threads/{NOWHERE}")
    assert (head.status, head.content) == (404, b"")


@pytest.mark.parametrize("path", ["threads/", "limits/", "auth/challenge/", "search/?q=a"])
def test_a_trailing_slash_is_404(stoa: App, path: str) -> None:
    stoa.get(path).refused(404, "not_found")


@pytest.mark.settings(allowed_hosts=["*"])
@pytest.mark.parametrize("path", ["/docs/errors/", "/openapi.json/", "/forum/unanswered.md/"])
def test_a_page_with_a_trailing_slash_leads_nowhere(stoa: App, path: str) -> None:
    answer = stoa.get(path, headers={"Host": "evil.example"})
    assert answer.status == 404
    assert "location" not in answer.headers


def test_a_doubled_slash_is_not_another_spelling_of_a_path(stoa: App) -> None:
    stoa.get("/api/v1//threads").refused(404, "not_found")
    assert stoa.get("//api/v1/threads").status == 404


# --- Host.


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8080.evil.example", "", "x" * 999],
)
def test_a_foreign_host_is_421(stoa: App, host: str) -> None:
    stoa.get("threads", headers={"Host": host}).refused(421, "wrong_host")
    assert stoa.get("/docs/errors", headers={"Host": host}).status == 421


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"]
)
def test_loopback_names_with_our_port_are_ours(stoa: App, host: str) -> None:
    stoa.get("threads", headers={"Host": host}).ok()


@pytest.mark.settings(allowed_hosts=["forum.internal", "Stoa.Example:81"])
def test_allowed_hosts_are_ours_in_any_case(stoa: App) -> None:
    stoa.get("threads", headers={"Host": "forum.internal"}).ok()
    stoa.get("threads", headers={"Host": "stoa.example:81"}).ok()
    stoa.get("threads", headers={"Host": "stoa.example"}).refused(421, "wrong_host")


BASE = {"base_url": "https://stoa.example", "port": 8080}


@pytest.mark.settings(**BASE)
@pytest.mark.promise("W51")
@pytest.mark.parametrize("name", ["stoa.example", "Stoa.Example.", "127.0.0.1:8080"])
@pytest.mark.parametrize("port", ["", ":443", ":80", ":"])
def test_default_ports_and_a_final_dot_are_ours(stoa: App, name: str, port: str) -> None:
    host = {"Host": name if name[0] == "1" else name + port}
    challenge = {"publicKey": Key("Ada").public}
    texts = {
        stoa.post("auth/challenge", challenge, headers=host).ok()["challenge"] for _ in range(2)
    }
    for text in texts:
        stoa.post("auth/verify", signed(Key("Ada"), text), headers=host).ok()
        assert base64.urlsafe_b64decode(text + "==").startswith(b"https://stoa.example\n")
    for _ in range(2):  # the second one is answered from the cache
        stoa.get("threads", headers=host).ok()
        assert stoa.get("/", headers=host).status == 200
    assert Mcp(stoa).ask("tools/list", headers=host).status == 200


@pytest.mark.settings(**BASE)
@pytest.mark.parametrize(
    "host",
    [
        "stoa.example..",
        "stoa.example:8080",
        "stoa.example:443:443",
        "stoa.example.evil",
        ".stoa.example",
    ],
)
def test_other_ports_and_names_stay_foreign_and_are_named(stoa: App, host: str) -> None:
    for answer in (
        stoa.get("threads", headers={"Host": host}),
        stoa.post("/mcp", {}, headers={"Host": host}),
    ):
        answer.refused(421, "wrong_host")
        assert answer["error"] == f"This service does not answer to the host name {host}."


def test_what_has_no_form_of_a_host_is_not_repeated(stoa: App) -> None:
    for host in ("<b>", "x" * 101, "a b", ""):
        answer = stoa.get("threads", headers={"Host": host}).refused(421, "wrong_host")
        assert answer["error"] == "This service does not answer to this host name."


@pytest.mark.promise("W8")
def test_other_host_headers_are_not_believed(stoa: App) -> None:
    headers = {
        "X-Forwarded-Host": "evil.example",
        "X-Original-URL": "/evil",
        "X-Rewrite-URL": "/evil",
        "Forwarded": "host=evil.example",
    }
    for path in ("threads", "nothing", "/docs/errors", "/nothing", "/openapi.json"):
        answer = stoa.get(path, headers=headers)
        assert "evil" not in answer.text + str(answer.header_list)


def test_a_header_given_twice_counts_as_a_list_of_both(stoa: App, alice: Agent) -> None:
    good, bad = f"Bearer {alice.token}", "Bearer x"
    for first, second in ((good, bad), (bad, good), (good, good)):
        headers = [("Authorization", first), ("Authorization", second)]
        stoa.get("threads", headers=headers).refused(401, "invalid_or_expired_token")
    hosts = [("Host", "evil.example"), ("Host", "127.0.0.1:8080")]
    stoa.get("threads", headers=hosts).refused(421, "wrong_host")
    types = [("Content-Type", "text/plain"), ("Content-Type", "application/json")]
    stoa.post("auth/challenge", b"{}", headers=types).refused(415, "unsupported_media_type")
    tag = stoa.get("threads").headers["etag"]
    tags = [("If-None-Match", tag), ("If-None-Match", '"x"')]
    assert stoa.get("threads", headers=tags).status == 304


def test_health_answers_under_every_host(stoa: App) -> None:
    assert stoa.get("/healthz", headers={"Host": "10.1.2.3"}).ok().json == {"status": "ok"}
    ready = stoa.get("/readyz", headers={"Host": "10.1.2.3"}, client="192.0.2.1")
    assert ready.ok().json == {"status": "ok"}


# --- CORS.

DISCOVERY = ["/openapi.json", "/forum/unanswered.md"]


@pytest.mark.parametrize(
    "path", ["threads", "auth/verify", f"threads/{NOWHERE}/replies", "nothing", *DISCOVERY]
)
def test_preflight_is_204_and_names_what_may_be_sent(stoa: App, path: str) -> None:
    headers = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    answer = stoa.call("OPTIONS", path, headers=headers)
    assert (answer.status, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert set(answer.headers["access-control-allow-headers"].split(", ")) == {
        "Authorization",
        "Content-Type",
        "If-None-Match",
        "Idempotency-Key",
        "Last-Event-ID",
        "MCP-Protocol-Version",
        "Prefer",
        "X-Request-Id",
        "X-Stoa-Consistency",
    }
    assert {"GET", "POST"} <= set(answer.headers["access-control-allow-methods"].split(", "))
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.settings(limit_reads_anonymous=1)
def test_preflight_is_uncharged(stoa: App) -> None:
    for _ in range(5):
        assert stoa.call("OPTIONS", "threads").status == 204
    assert stoa.get("threads").ok().rate == ("reads", 1, 0)


@pytest.mark.parametrize("path", ["threads", "threads/nothing", *DISCOVERY])
def test_every_answer_may_be_read_by_any_origin_without_credentials(stoa: App, path: str) -> None:
    answer = stoa.get(path, headers={"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    assert "set-cookie" not in answer.headers


def test_the_headers_a_client_needs_are_exposed(stoa: App) -> None:
    exposed = stoa.get("threads").headers["access-control-expose-headers"].split(", ")
    assert set(exposed) == {
        "Preference-Applied",
        "ETag",
        "Idempotent-Replayed",
        "Link",
        "Retry-After",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "X-RateLimit-Resource",
        "X-Request-Id",
        "X-Stoa-Consistency",
    }


@pytest.mark.parametrize("path", ["/docs/errors", "/nothing"])
def test_pages_answer_no_preflight(stoa: App, path: str) -> None:
    answer = stoa.call("OPTIONS", path, headers={"Origin": "https://app.example"})
    assert answer.status != 204
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-origin" not in stoa.get(path).headers


def test_no_answer_sets_a_cookie_and_every_one_forbids_sniffing(
    stoa: App, answers: dict[str, Any]
) -> None:
    for path in PATHS:
        headers = stoa.get(path).headers
        assert "set-cookie" not in headers
        assert headers["x-content-type-options"] == "nosniff"
