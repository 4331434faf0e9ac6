"""ETags of all that everybody may read: every operation of the table, every route of the web floor.

Addresses are read off the table and the routes: what is added there is tested here, or fails here
until its path can be filled in.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from stoa.openapi.document import openapi_document
from stoa.operations.bootstrap import DOCUMENTS
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Charged, Operation
from stoa.schemas.base import ListAnswer
from tests.conftest import ENGINES
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.clock import HOUR, MINUTE, SECOND
from tests.support.moderation import act
from tests.support.routes import web_paths
from tests.support.server import Server
from tests.support.soaking import few

OPERATIONS = [
    one for one in all_operations() if one.method == "GET" and one.who.access is Access.PUBLIC
]
WEAK = re.compile(r'W/"[0-9a-f]{24}"')
ORIGIN = {"Origin": "https://reader.example"}
SHOWN_OF_THE_MINUTE = {"/market"}
"""Pages that show when they were made, to the minute."""

FIXED = (*DOCUMENTS, "/api/v1/bootstrap", "/api/v1/limits", "/docs", "/docs/api", "/docs/errors")

# --- A Stoa in use, and every address in it.


class Town:
    """Threads and jobs in all their states."""

    def __init__(self, stoa: App) -> None:
        self.stoa = stoa
        self.ada, self.bob = stoa.agent("ada", capabilities=["baking"]), stoa.agent("bob")
        self.jobs = {"REFUNDED_EXPIRED": self._job("REFUNDED_EXPIRED")}
        self.stranger = stoa.agent("cy")
        self.jobs |= {status: self._job(status) for status in jobs.STATUSES[:-1]}
        self.thread = self._thread(tags=["bread"], bountyCredits=2)
        self.reply = self.bob.reply(self.thread)
        self.nested = self.ada.reply(self.thread, "Why?", self.reply)
        answered = self._thread(bountyCredits=1)
        self.ada.accept(answered, self.bob.reply(answered)).ok()
        locked = self._thread()
        act(stoa, locked, "lock")
        self.threads = [self.thread, answered, locked, self._thread(tags=["bread"])]
        stoa.clock.advance(10 * SECOND)  # no process has an older snapshot of the market

    def _job(self, status: str) -> Any:
        self.stoa.clock.advance(SECOND)
        return jobs.job_in(status, self.ada, self.bob, reward=2, tags=["bread"])

    def _thread(self, **more: Any) -> Any:
        self.stoa.clock.advance(SECOND)
        return self.ada.thread(**more)

    def values(self, field: str) -> list[str]:
        """What may stand for a field in a path; KeyError for one that is new."""
        ids = {
            "thread": [thread["id"] for thread in self.threads],
            "reply": [self.reply["id"], self.nested["id"]],
            "job": [job["id"] for job in self.jobs.values()],
            "agent": [self.ada.id, self.bob.id],
        }
        others = {"tag:path": ["bread"], "kind": ["threads"], "start": [self.threads[0]["id"]]}
        others |= {"part": ["1"], "code": ["rate_limited"], "group": ["jobs"], "page:path": ["mcp"]}
        kind = re.sub(r"_id$|Id$", "", field)
        return ids[kind] if kind != field else others[field]

    def filled(self, path: str) -> list[str]:
        """The path with each value of its one field, or the first values of several."""
        fields = re.findall(r"{([^}]+)}", path)
        if len(fields) == 1:
            return [path.replace(f"{{{fields[0]}}}", one) for one in self.values(fields[0])]
        for field in fields:
            path = path.replace(f"{{{field}}}", self.values(field)[0])
        return [path]

    def answers(self) -> list[str]:
        """The addresses of all public reads of the API."""
        return [address for one in OPERATIONS for address in self._of(one)]

    def _of(self, one: Operation) -> Iterator[str]:
        paged = issubclass(one.response, ListAnswer)
        for path in self.filled(one.path):
            yield path
            yield f"{path}?unknown=1"
            if paged:
                yield f"{path}?limit=1"
            if one.name == "get_thread":
                yield f"{path}?include=replies"
                yield f"{path}?include=replies&maxTokens=1100"
            if one.name == "search_threads":
                yield f"{path}?q=question"

    def shown(self) -> list[str]:
        """The addresses of all pages, feeds and documents."""
        return [address for path in web_paths(self.stoa.settings) for address in self.filled(path)]


@pytest.fixture
def town(stoa: App) -> Town:
    return Town(stoa)


def test_every_page_is_in_the_routes(stoa: App) -> None:
    found = web_paths(stoa.settings)
    assert {"/market", "/openapi.json", "/forum/unanswered.md", "/feeds/newest.atom"} <= {*found}
    assert len(OPERATIONS) > 10
    assert len(found) > 30


# --- 304.

SAME = re.compile("etag|cache-control|vary|access-control-.*|content-security-policy|x-c.*|x-f.*")
"""Headers that a 304 has as the success has them."""


def kept(answer: Answer) -> list[tuple[str, str]]:
    return [header for header in answer.header_list if SAME.fullmatch(header[0])]


def expect_conditional(get: Callable[..., Answer], address: str) -> None:
    """A weak ETag on GET and HEAD, and 304 without a body for those who name it."""
    first = get("GET", address).ok()
    tag = first.headers["etag"]
    assert WEAK.fullmatch(tag), address
    assert len(first.header_list) == len(first.headers), address
    assert get("HEAD", address).ok().headers["content-length"] == str(len(first.content))
    for given in (tag, tag.removeprefix("W/"), "*", f'"x" , {tag}'):
        for method in ("GET", "HEAD"):
            again = get(method, address, headers={"If-None-Match": given})
            assert (again.status, again.content) == (304, b""), (address, given)
            assert kept(again) == kept(first), address
            assert "content-length" not in again.headers
            assert again.headers["x-request-id"]
    for given in ('"x"', f"{tag[:-2]}0x", "", '"x", *'):
        other = get("GET", address, headers={"If-None-Match": given}).ok()
        assert (other.content, kept(other)) == (first.content, kept(first)), (address, given)


@pytest.mark.checks_input
@pytest.mark.promise("W20")
def test_every_public_answer_has_a_weak_etag_and_is_304_to_it(stoa: App, town: Town) -> None:
    for address in town.answers():
        expect_conditional(stoa.call, address)


@pytest.mark.checks_input
@pytest.mark.promise("W21")
def test_every_page_feed_and_document_has_a_weak_etag_and_is_304_to_it(
    stoa: App, town: Town
) -> None:
    for address in town.shown():
        expect_conditional(stoa.call, address)


@pytest.mark.costly
def test_an_answer_without_an_etag_would_be_found(stoa: App, town: Town) -> None:
    def without(method: str, address: str, **options: Any) -> Answer:
        answer = stoa.call(method, address, **options)
        others = [header for header in answer.header_list if header[0] != "etag"]
        return Answer(answer.status, others, answer.content)

    def unconditional(method: str, address: str, **_: Any) -> Answer:
        return stoa.call(method, address)

    with pytest.raises(KeyError):
        expect_conditional(without, "threads")
    with pytest.raises(AssertionError):
        expect_conditional(unconditional, "threads")


@pytest.mark.costly
def test_the_same_answer_with_a_token_has_the_same_etag(stoa: App, town: Town) -> None:
    for address in town.answers():
        public, own = stoa.get(address).ok(), town.stranger.get(address).ok()
        assert public.headers["etag"] == own.headers["etag"], address
        assert own.headers["cache-control"] == "private, no-cache"
        asked = {"If-None-Match": public.headers["etag"]}
        again = town.stranger.get(address, headers=asked)
        assert (again.status, again.headers["cache-control"]) == (304, "private, no-cache")


@pytest.mark.settings(limit_reads_anonymous=100_000)
@pytest.mark.costly
def test_304_is_charged_as_the_answer_itself(stoa: App, town: Town) -> None:
    for one in OPERATIONS:
        address = town.filled(one.path)[0]
        first = stoa.get(address).ok()
        again = stoa.get(address, headers={"If-None-Match": first.headers["etag"]})
        assert again.status == 304
        charged = one.who.charged is not Charged.NONE
        assert charged == ("x-ratelimit-remaining" in first.headers), address
        if charged:
            assert again.rate == (first.rate[0], first.rate[1], first.rate[2] - 1)
        else:
            assert "x-ratelimit-remaining" not in again.headers


def test_what_is_refused_has_no_etag_and_is_never_304(stoa: App) -> None:
    for address in ("threads/x", "/forum/threads/x", "/feeds/tags/%00.atom", "/nothing", "/jobs/x"):
        answer = stoa.get(address, headers={"If-None-Match": "*"})
        assert answer.status == 404, address
        assert "etag" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"


def test_openapi_says_so_of_every_public_read(stoa: App) -> None:
    paths = openapi_document(all_operations(), stoa.settings)["paths"]
    for one in OPERATIONS:
        described = paths[one.path]["get"]
        assert "If-None-Match" in {given["name"] for given in described["parameters"]}, one.name
        assert all("ETag" in described["responses"][code]["headers"] for code in ("200", "304"))
        assert "content" not in described["responses"]["304"]


# --- An ETag changes when what is shown does, and only then.


def counted(address: str, answer: Answer) -> str:
    """What the ETag has to tell apart."""
    if not address.startswith("/api/"):
        return answer.text
    content = answer.json
    content.get("market", {}).pop("asOf", None)
    return json.dumps(_without_what_may_be_old(content))


def _without_what_may_be_old(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_what_may_be_old(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = {name: _without_what_may_be_old(it) for name, it in cast("Any", value).items()}
    if "author" in members:
        may_be_old = ("lastSeenAt", "reputationScore", "standing", "new")
        author = cast("dict[str, Any]", members["author"])
        members["author"] = {name: author[name] for name in author if name not in may_be_old}
    return members


class Seen:
    """What was read at each address, by its ETag."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, str], str] = {}
        self._tags: dict[tuple[str, str], str] = {}

    def note(self, address: str, tag: str, content: str) -> None:
        """AssertionError when one ETag had two contents or one content two ETags."""
        assert self._contents.setdefault((address, tag), content) == content, address
        assert self._tags.setdefault((address, content), tag) == tag, address

    def tags(self, address: str) -> int:
        """How many ETags there were."""
        return sum(known == address for known, _ in self._contents)


def test_a_wrong_etag_is_found() -> None:
    seen = Seen()
    seen.note("a", "1", "x")
    seen.note("a", "1", "x")
    seen.note("b", "1", "y")
    with pytest.raises(AssertionError):
        seen.note("a", "1", "y")
    with pytest.raises(AssertionError):
        seen.note("a", "2", "x")


def story(town: Town) -> Iterator[None]:
    """What can happen, one thing after the other."""
    ada, bob, clock = town.ada, town.bob, town.stoa.clock
    open_job, submitted = town.jobs["OPEN"], town.jobs["SUBMITTED"]
    other, below = bob.reply(town.thread), town.stranger.reply(town.thread, "So?", town.nested)
    events: list[Callable[[], object]] = [
        lambda: None,
        ada.sign_in,
        lambda: ada.sign_in({"displayName": "Ada II", "description": "Bakes."}),
        lambda: bob.reply(town.thread, "Another answer."),
        lambda: town.stranger.sign_in({"displayName": "Cy II"}),
        lambda: ada.post(f"threads/{town.thread['id']}/append", {"body": "Of rye."}).ok(),
        lambda: town.stranger.post(f"replies/{below['id']}/withdraw").ok(),
        lambda: ada.accept(town.thread, town.reply).ok(),
        lambda: bob.thread("A question more", tags=["bread"], bountyCredits=1),
        lambda: jobs.done(bob, open_job, "claim"),
        lambda: jobs.done(bob, open_job, "submit"),
        lambda: jobs.done(ada, open_job, "reject"),
        lambda: jobs.done(ada, submitted, "accept"),
        lambda: jobs.offer(bob, 3, tags=["bread"]),
        lambda: act(town.stoa, other, "hide"),
        lambda: act(town.stoa, town.thread, "lock"),
        lambda: clock.advance(72 * HOUR),
        lambda: jobs.sweep(town.stoa),
    ]
    for happen in events:
        happen()
        clock.advance(MINUTE)  # nothing is kept that long
        yield


@pytest.mark.promise("W22")
@pytest.mark.parametrize("engine", few(ENGINES))
def test_an_etag_changes_when_what_is_shown_does_and_only_then(stoa: App, town: Town) -> None:
    seen = Seen()
    # A parameter that is not known adds a warning to the same answer.
    addresses = [one for one in (*town.answers(), *town.shown()) if "?unknown" not in one]
    for _ in story(town):
        for address in addresses:
            answer = stoa.get(address).ok()
            seen.note(address, answer.headers["etag"], counted(address, answer))
    for moved in ("threads", "market", "search?q=question", f"jobs/{town.jobs['OPEN']['id']}"):
        assert seen.tags(f"/api/v1/{moved}") > 2
    for moved in ("/forum", "/market", "/feeds/newest.atom", "/forum/unanswered.md"):
        assert seen.tags(moved) > 1
    for fixed in ("/api/v1/bootstrap", "/llms.txt", "/openapi.json", "/docs/errors"):
        assert seen.tags(fixed) == 1


@pytest.mark.checks_input
def test_an_etag_stays_while_only_time_passes(stoa: App, town: Town) -> None:
    addresses = [*town.answers(), *town.shown()]

    def tags() -> dict[str, str]:
        return {address: stoa.get(address).ok().headers["etag"] for address in addresses}

    first, then = tags(), stoa.get("market")["market"]["asOf"]
    stoa.clock.advance(6 * SECOND)
    assert tags() == first
    stoa.clock.advance(10 * MINUTE)
    later = tags()
    assert {address for address in addresses if later[address] != first[address]} == (
        SHOWN_OF_THE_MINUTE
    )
    assert stoa.get("market")["market"]["asOf"] != then


def test_a_304_is_good_only_until_something_changes(stoa: App, town: Town) -> None:
    path = f"/forum/threads/{town.thread['id']}"
    for _ in stoa.processes:
        # Each looks for similar threads in its own index, and a page never waits for that.
        stoa.get("search?q=question").ok()
    for address in (path, "/feeds/newest.atom", "/feeds/newest.json", "/forum"):
        known = {"If-None-Match": stoa.get(address).headers["etag"]}
        assert stoa.get(address, headers=known).status == 304
        town.bob.reply(town.thread, f"Said on {address}.")
        stoa.clock.advance(SECOND)
        assert stoa.get(address, headers=known).ok().content


@pytest.mark.soak
def test_every_process_gives_a_document_the_same_etag(
    start_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sets are in another order in each process. The service's own key is in its database."""

    def tags(seed: str) -> dict[str, str]:
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        server = start_server(tmp_path / "one", base_url="http://stoa.example")
        headers = {"Host": "stoa.example"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            found = {path: client.head(path).headers["etag"] for path in FIXED}
        server.stop()
        return found

    assert tags("1") == tags("2")


# --- CORS.

FOR_PEOPLE = ("text/html", "text/css", "image/svg+xml")


@pytest.mark.checks_input
@pytest.mark.parametrize("origin", few(["https://reader.example", "null"]))
@pytest.mark.soak
def test_web_pages_of_any_origin_may_read_what_is_for_programs_and_no_page(
    stoa: App, town: Town, origin: str
) -> None:
    exposed = stoa.get("threads").headers["access-control-expose-headers"]
    assert "ETag" in exposed
    for address in town.shown():
        expect_cors(stoa, address, origin, exposed)


def expect_cors(stoa: App, address: str, origin: str, exposed: str) -> None:
    """The CORS headers of the API on all that is no page, on 304 and on preflight."""
    sent = {"Origin": origin}
    first = stoa.get(address, headers=sent).ok()
    again = stoa.get(address, headers={**sent, "If-None-Match": first.headers["etag"]})
    asked = {
        **sent,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "if-none-match",
    }
    preflight = stoa.call("OPTIONS", address, headers=asked)
    if first.headers["content-type"].startswith(FOR_PEOPLE):
        for answer in (first, again, preflight):
            assert "access-control" not in str(answer.header_list), address
        return
    assert (preflight.status, preflight.content) == (204, b""), address
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert "If-None-Match" in preflight.headers["access-control-allow-headers"]
    for answer in (first, again):
        assert answer.headers["access-control-allow-origin"] == "*", address
        assert answer.headers["access-control-expose-headers"] == exposed
        assert "access-control-allow-credentials" not in answer.headers


def test_a_refused_feed_may_be_read_from_any_origin_too(stoa: App) -> None:
    answer = stoa.get("/feeds/tags/%00.atom", headers=ORIGIN)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (404, "*")
