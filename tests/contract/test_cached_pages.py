"""Cached pages and feeds are those that would be made now, whatever was written in between."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from stoa.caching import CachedKind
from stoa.calls.validity import Validity
from stoa.domain import limits
from stoa.memory.answers import AnswerCache
from stoa.memory.single_flight import SingleFlight
from stoa.operations.call import Call
from tests.contract.test_cached_answers import World, nothing
from tests.memory.test_single_flight import reads_of_a_burst
from tests.support.app import App
from tests.support.moderation import operate
from tests.support.routes import web_paths
from tests.support.soaking import few, fourth
from tests.support.steps import Steps

SQLITE = pytest.mark.parametrize("engine", ["sqlite"])
PAGES_A_STEP = 5
MANY_STEPS = 300
FORMS = ("text/html", "text/markdown")
COMPARED = (
    "/",
    "/forum",
    "/forum/unanswered",
    "/forum/unanswered.md",
    "/forum/threads/{thread_id}",
    "/forum/threads/{thread_id}/text",
    "/forum/threads/{thread_id}/text/{part}",
    "/forum/replies/{reply_id}",
    "/forum/replies/{reply_id}/text",
    "/forum/replies/{reply_id}/text/{part}",
    "/tags/{tag:path}",
    "/jobs",
    "/jobs/{job_id}",
    "/jobs/{job_id}/text",
    "/jobs/{job_id}/text/{part}",
    "/opportunities",
    "/agents",
    "/agents/{agent_id}",
    "/agents/{agent_id}/answers",
    "/feeds/newest.atom",
    "/feeds/newest.json",
    "/feeds/unanswered.atom",
    "/feeds/unanswered.json",
    "/feeds/tags/{tag:path}.atom",
    "/feeds/tags/{tag:path}.json",
    "/feeds/agents/{agent_id}.atom",
    "/feeds/agents/{agent_id}.json",
    "/sitemap/{kind}/{start}.xml",
)
FIXED = (
    *("/docs", "/docs/{page:path}", "/docs/api", "/docs/api/{group}", "/docs/errors"),
    *("/about", "/about/safety"),
)
LATE = ("/market", "/tags", "/sitemap.xml")
"""Cached pages that may be a few seconds or a minute old, whatever is written."""

FILTERED = (
    "/forum",
    "/forum/unanswered",
    "/forum/threads/{thread_id}",
    "/tags/{tag:path}",
    "/jobs",
    "/jobs/{job_id}",
    "/jobs/{job_id}/text",
    "/jobs/{job_id}/text/{part}",
    "/opportunities",
    "/agents",
    "/agents/{agent_id}/answers",
)
"""Cached pages that look at their query."""

OFFER = {"title": "Work", "description": "Do it.", "rewardCredits": 1, "tags": ["rarest"]}

_MAY_BE_OLD = re.compile(
    r'<dl class="figures">.*?</dl>|<section id="best">.*?</section>'
    r'|<p class="meta counts">.*?</p>\n'
    r'|<section aria-labelledby="(?:near|used)">.*?</section>\n|\n*## Similar threads\n.*',
    re.DOTALL,
)
"""On the front page the counts of the market, and the good answers of the week, of some seconds
ago, as the counts of a tag and of those beside a list; which threads stand beside one is found
once a day."""


class Pages(World):
    """Reads some of the cached pages before and after each step, each time others."""

    def __init__(self, stoa: App, seed: int, routes: Sequence[str] = COMPARED) -> None:
        self.routes = routes
        super().__init__(stoa, seed, {"page", "get_keys"})

    def filled(self, route: str) -> str:
        """The address of a page, by its route."""
        fields = {"kind": "threads", "start": self.threads[0][1]["id"], "part": "1"}
        fields |= {"tag:path": "wal", "group": "jobs"}
        fields |= {"page:path": "mcp"}
        fields |= {"thread_id": self.thread["id"], "reply_id": self.shown["id"]}
        fields |= {"job_id": self.job["id"], "agent_id": self.author.id, "code": "not_found"}
        return re.sub("{([^}]+)}", lambda found: fields[found[1]], route)

    def choose(self) -> None:
        super().choose()
        self.chosen = [self.filled(one) for one in self.random.choices(self.routes, k=PAGES_A_STEP)]
        self.form = self.random.choice(FORMS)

    def targets(self) -> dict[str, list[str]]:
        return {"page": self.chosen}

    def read_all(self) -> None:
        for path in self.chosen:
            self.read(path)

    def read(self, path: str) -> str:
        answer = self.stoa.get(path, headers={"Accept": self.form})
        shown = answer.text if answer.status == 200 else str(answer.status)
        return _MAY_BE_OLD.sub("", shown)

    def compare(self, operation: str, target: str, after: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(AnswerCache, "get", nothing)
            patch.setattr(AnswerCache, "put", nothing)
            patch.setattr(CachedKind, "find", nothing)  # nor is it joined of cached parts
            made = self.read(target)
        assert self.read(target) == made, (target, after)


def found_at_once(stoa: App, path: str, *more: tuple[bytes, bytes]) -> tuple[int, bytes, bytes]:
    scope: dict[str, Any] = {
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8080"), *more],
        "client": ("127.0.0.1", 1),
    }
    status, lines, body = stoa.stoa.ready.find(scope) or (0, b"", b"")
    return status, lines, body


@pytest.mark.costly
@pytest.mark.promise("W32")
@pytest.mark.parametrize("seed", few(range(2)))
def test_a_cached_page_is_the_one_that_would_be_made_now(stoa: App, seed: int) -> None:
    Pages(stoa, seed).run()


@SQLITE
@pytest.mark.parametrize("route", fourth(COMPARED, 0))
def test_a_page_that_depends_on_nothing_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    async def depends_on_nothing(_: object) -> Validity:
        return Validity(frozenset())

    monkeypatch.setattr("stoa.calls.public_reads.validity", depends_on_nothing)
    with pytest.raises(AssertionError, match=r"\w"):
        Pages(stoa, 0, [route]).run(MANY_STEPS)


@SQLITE
@pytest.mark.parametrize("route", ["/jobs/{job_id}", "/opportunities"])
def test_a_deadline_that_no_page_knows_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    monkeypatch.setattr(Call, "expires", nothing)
    with pytest.raises(AssertionError, match="pass_a_deadline"):
        Pages(stoa, 0, [route]).run(MANY_STEPS)


@SQLITE
def test_every_cached_page_is_compared_or_never_changes(stoa: App) -> None:
    world = Pages(stoa, 0)
    paths = {route: world.filled(route) for route in web_paths(stoa.settings)}
    for path in paths.values():
        stoa.get(path).ok()
    found = {route for route, path in paths.items() if found_at_once(stoa, path)[0]}
    assert found == {*COMPARED, *FIXED, *LATE}


@pytest.mark.promise("L31")
@SQLITE
def test_a_made_up_query_makes_no_page_anew(stoa: App, steps: Steps) -> None:
    world = Pages(stoa, 0)
    paths = {route: world.filled(route) for route in (*COMPARED, *FIXED, *LATE)}
    shown = {route: stoa.get(path).ok().text for route, path in paths.items()}

    steps.taken.clear()
    for route in {*paths} - {*FILTERED}:
        assert stoa.get(f"{paths[route]}?made=up").ok().text == shown[route]
    assert steps.taken == []
    for route in FILTERED:
        steps.taken.clear()
        stoa.get(f"{paths[route]}?made=up").ok()
        assert steps.taken, route


@SQLITE
@pytest.mark.parametrize("path", ["/forum", "/market", "/feeds/newest.atom", "/sitemap.xml"])
def test_a_cached_page_has_the_same_headers(stoa: App, path: str) -> None:
    made = stoa.get(path).ok().headers.items()
    again = stoa.get(path).ok().headers.items()
    status, lines, body = found_at_once(stoa, path)
    split = [line.partition(": ") for line in lines.decode().splitlines()]
    at_once = [(name, value) for name, _, value in split]
    shown = [
        sorted(pair for pair in headers if pair[0] != "x-request-id")
        for headers in (made, again, at_once)
    ]
    assert shown[0] == shown[1] == shown[2]
    assert status == 200
    assert f"{len(body)}" == dict(at_once)["content-length"]


@SQLITE
def test_a_cached_page_answers_304(stoa: App) -> None:
    whole = stoa.get("/forum").ok()
    tag = whole.headers["etag"]
    for known in (tag, f'"other", {tag}', "*"):
        status, lines, body = found_at_once(stoa, "/forum", (b"if-none-match", known.encode()))
        names = {line.partition(b": ")[0] for line in lines.splitlines()}
        assert (status, body) == (304, b"")
        expected = {name.encode() for name in whole.headers} - {b"content-length", b"content-type"}
        assert names == expected
    assert found_at_once(stoa, "/forum", (b"if-none-match", b'"other"'))[0] == 200


@SQLITE
def test_the_page_of_the_market_is_never_older_than_its_snapshot_may_be(stoa: App) -> None:
    def threads() -> list[str]:
        return re.findall(r"<dt>(?:thread|threads),.*?<dd>(\d+)", stoa.get("/market").text)

    ada = stoa.agent("ada")
    assert threads() == ["0"]
    ada.thread()
    assert threads() == ["0"]
    stoa.clock.advance(limits.SNAPSHOT_MAX_MS + 1)
    assert threads() == ["1"]


@SQLITE
def test_the_sitemap_is_a_minute_old_at_most(stoa: App) -> None:
    ada = stoa.agent("ada")
    before = stoa.get("/sitemap.xml").ok().text
    thread = ada.thread()
    stoa.clock.advance(limits.MINUTE_MS // 2)
    assert stoa.get("/sitemap.xml").ok().text == before
    stoa.clock.advance(limits.MINUTE_MS // 2)
    assert thread["id"] in stoa.get("/sitemap.xml").ok().text


@SQLITE
def test_an_act_of_moderation_ends_pages_that_show_a_snapshot(stoa: App) -> None:
    ada = stoa.agent("ada")
    job = ada.post("jobs", OFFER).ok(201).json["job"]
    stoa.run(stoa.stoa.upkeep.notice_acts())
    assert "rarest" in stoa.get("/market").ok().text
    hide = {"command": "do", "action": "hide", "subject_id": job["id"], "reason": "A test."}
    operate(stoa, hide)
    stoa.run(stoa.stoa.upkeep.notice_acts())
    assert "rarest" not in stoa.get("/market").ok().text


@SQLITE
def test_a_page_is_not_that_of_a_path_with_a_question_mark(stoa: App) -> None:
    stoa.agent("ada").thread("A tagged thread", tags=["a"])
    assert "A tagged thread" not in stoa.get("/tags/a%3Fx=1").ok().text
    assert "A tagged thread" in stoa.get("/tags/a?x=1?").ok().text


@SQLITE
def test_a_burst_of_readers_of_one_page_makes_it_once(stoa: App, steps: Steps) -> None:
    stoa.get("/forum").ok()  # the tags beside lists are read now, and for some seconds
    alone = reads_of_a_burst(stoa, steps, "/forum?sort=active", readers=1)
    assert reads_of_a_burst(stoa, steps, "/forum?sort=replies") == alone > 0


@SQLITE
def test_a_burst_in_which_nobody_waits_makes_a_page_many_times(
    stoa: App, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(SingleFlight, "wait", never)
    stoa.get("/forum").ok()
    alone = reads_of_a_burst(stoa, steps, "/forum?sort=active", readers=1)
    assert reads_of_a_burst(stoa, steps, "/forum?sort=replies") > alone > 0
