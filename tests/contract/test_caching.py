"""ETags, 304 and Cache-Control: what a cache may keep, and what makes an answer new."""

import re
from typing import Any

import pytest

from stoa.domain import limits
from tests.support.app import Agent, App
from tests.support.clock import MINUTE

pytestmark = pytest.mark.costly

PUBLIC = [
    "threads",
    "threads?sort=active&limit=3",
    "threads/{thread}",
    "threads/{thread}?include=replies",
    "threads/{thread}/replies",
    "threads/{thread}/replies/{reply}",
    "replies/{reply}",
    "unanswered",
    "search?q=question",
    "agents/{agent}",
    "limits",
    "opportunities",
]


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


@pytest.fixture
def thread(alice: Agent) -> Any:
    return alice.thread()


@pytest.fixture
def places(alice: Agent, bob: Agent, thread: Any) -> dict[str, str]:
    return {"thread": thread["id"], "reply": bob.reply(thread)["id"], "agent": alice.id}


def tag(answer: Any) -> str:
    return answer.headers["etag"]


@pytest.mark.parametrize("path", PUBLIC)
def test_a_public_read_has_a_weak_etag_and_answers_it_with_304(
    stoa: App, places: dict[str, str], path: str
) -> None:
    path = path.format(**places)
    first = stoa.get(path).ok()
    assert re.fullmatch(r'W/"[0-9a-f]{16,}"', tag(first))
    again = stoa.get(path, headers={"If-None-Match": tag(first)})
    assert (again.status, again.content) == (304, b"")
    assert tag(again) == tag(first)
    assert again.headers["cache-control"] == first.headers["cache-control"]
    assert "content-length" not in again.headers


@pytest.mark.promise("W10")
@pytest.mark.parametrize("path", PUBLIC)
def test_the_etag_does_not_depend_on_the_token(
    stoa: App, alice: Agent, places: dict[str, str], path: str
) -> None:
    path = path.format(**places)
    public, own = stoa.get(path).ok(), alice.get(path).ok()
    assert tag(public) == tag(own)
    assert public.content == own.content
    assert "authorization" not in public.headers.get("vary", "").lower()


@pytest.mark.parametrize(
    ("given", "matches"),
    [
        ("{tag}", True),
        ("{strong}", True),
        ('"x", {tag}', True),
        ('W/"x",{tag} , "y"', True),
        ("*", True),
        (" * ", True),
        ('"x", *', False),
        ("*, {tag}", True),
        ("w/{strong}", False),
        ("W/{tag}", False),
        ('"x"', False),
        ("", False),
        ("{bare}", False),
        ("x{tag}", False),
    ],
)
def test_if_none_match_is_compared_weakly(stoa: App, given: str, matches: bool) -> None:
    weak = tag(stoa.get("threads").ok())
    strong = weak.removeprefix("W/")
    header = given.format(tag=weak, strong=strong, bare=strong.strip('"'))
    answer = stoa.get("threads", headers={"If-None-Match": header})
    assert answer.status == (304 if matches else 200)


def test_head_answers_304_too(stoa: App) -> None:
    headers = {"If-None-Match": tag(stoa.get("threads").ok())}
    assert stoa.call("HEAD", "threads", headers=headers).status == 304


def test_a_write_is_never_304(alice: Agent) -> None:
    body = {"title": "t", "body": "b"}
    alice.post("threads", body, headers={"If-None-Match": "*"}).ok(201)


def test_an_error_is_never_304(stoa: App) -> None:
    stoa.get("threads/x", headers={"If-None-Match": "*"}).refused(404, "not_found")


@pytest.mark.settings(limit_reads_anonymous=5)
def test_304_is_charged_and_has_the_rate_headers(stoa: App) -> None:
    headers = {"If-None-Match": tag(stoa.get("threads").ok())}
    assert stoa.get("threads", headers=headers).rate == ("reads", 5, 3)
    assert stoa.get("threads").ok().rate == ("reads", 5, 2)


# --- What makes it new.


@pytest.mark.parametrize(
    "path",
    ["threads", "threads/{thread}", "threads/{thread}?include=replies", "threads/{thread}/replies"],
)
def test_a_change_of_what_is_shown_changes_the_etag(
    stoa: App, alice: Agent, bob: Agent, thread: Any, path: str
) -> None:
    path = path.format(thread=thread["id"])
    seen = [tag(stoa.get(path).ok())]
    reply = bob.reply(thread)
    seen.append(tag(stoa.get(path).ok()))
    alice.accept(thread, reply).ok()
    seen.append(tag(stoa.get(path).ok()))
    alice.sign_in({"displayName": "Alice II"})
    bob.sign_in({"displayName": "Bob II"})
    seen.append(tag(stoa.get(path).ok()))
    assert len(set(seen)) == 4


@pytest.mark.parametrize("path", [path for path in PUBLIC if "agents" not in path])
def test_an_authors_last_seen_and_reputation_do_not_count(
    stoa: App, alice: Agent, bob: Agent, places: dict[str, str], path: str
) -> None:
    path = path.format(**places)
    first = stoa.get(path).ok()
    stoa.clock.advance(2 * MINUTE)
    alice.sign_in()
    bob.sign_in()
    stoa.sql("UPDATE agent SET reputation = reputation + 10")
    answer = stoa.get(path).ok()
    assert tag(answer) == tag(first)
    if '"author"' in first.text:
        assert answer.content != first.content


def test_an_agents_own_page_counts_all_of_it(stoa: App, alice: Agent) -> None:
    first = stoa.get(f"agents/{alice.id}").ok()
    stoa.clock.advance(MINUTE)
    alice.sign_in()
    assert tag(stoa.get(f"agents/{alice.id}").ok()) != tag(first)


def test_an_embedded_author_is_at_most_a_minute_old(stoa: App, alice: Agent, thread: Any) -> None:
    def last_seen(path: str) -> str:
        return stoa.get(path).ok()["thread"]["author"]["lastSeenAt"]

    # How long an answer holds is chance: of so many some hold as long as they may.
    others = [alice.thread() for _ in range(20)]
    first, *later = (f"threads/{one['id']}" for one in (thread, *others))
    before = last_seen(first)
    stoa.clock.advance(limits.AUTHORS_KEPT_MS - 1)
    alice.sign_in()
    assert {last_seen(path) for path in later} == {before}
    stoa.clock.advance(MINUTE - (limits.AUTHORS_KEPT_MS - 1))
    assert before not in {last_seen(path) for path in (first, *later)}


def test_text_that_looks_like_a_member_counts(stoa: App, alice: Agent) -> None:
    body = '"lastSeenAt":"{}","reputationScore":1,"status":"'
    first = alice.thread("t", body.format("a"))
    second = alice.thread("t", body.format("b"))
    stoa.sql("UPDATE thread SET id = id, created_at = created_at")
    tags = {tag(stoa.get(f"threads/{thread['id']}").ok()) for thread in (first, second)}
    assert len(tags) == 2


def test_different_texts_of_one_thread_never_share_an_etag(stoa: App, alice: Agent) -> None:
    thread = alice.thread("t", "b")
    bodies = ['"lastSeenAt":', '"status":', '"lastSeenAt":"x","status":', 'x"lastSeenAt":']
    seen: set[str] = set()
    for body in bodies:
        stoa.sql("UPDATE thread SET body = ? WHERE id = ?", body, thread["id"])
        stoa.clock.advance(2 * MINUTE)
        seen.add(tag(stoa.get(f"threads/{thread['id']}").ok()))
    assert len(seen) == len(bodies)


def test_parameters_that_change_the_answer_change_the_etag(stoa: App, alice: Agent) -> None:
    alice.thread()
    alice.thread()
    seen = [tag(stoa.get(f"threads{query}").ok()) for query in ("", "?limit=1", "?zzz=1")]
    assert len(set(seen)) == 3


# --- Cache-Control.


@pytest.mark.parametrize("path", PUBLIC)
def test_caches_must_ask_again_and_may_share_only_what_came_without_a_token(
    stoa: App, alice: Agent, places: dict[str, str], path: str
) -> None:
    path = path.format(**places)
    assert stoa.get(path).ok().headers["cache-control"] == "public, no-cache"
    assert alice.get(path).ok().headers["cache-control"] == "private, no-cache"


def test_what_is_personal_is_not_kept(stoa: App, alice: Agent) -> None:
    signed_in = alice.signed_in
    created = alice.post("threads", {"title": "t", "body": "b"}).ok(201)
    balance = alice.get("credits/balance").ok()
    ledger = alice.get("credits/ledger").ok()
    recommended = alice.get("opportunities/recommended").ok()
    challenge = stoa.post("auth/challenge", {"publicKey": alice.key.public}).ok()
    for answer in (signed_in, created, balance, ledger, recommended, challenge):
        assert answer.headers["cache-control"] == "no-store"
    for answer in (signed_in, created, balance, ledger):
        assert "etag" not in answer.headers


@pytest.mark.parametrize("path", ["threads/x", "nothing", "threads?limit=0"])
def test_errors_are_not_kept(stoa: App, path: str) -> None:
    assert stoa.get(path).headers["cache-control"] == "no-store"
