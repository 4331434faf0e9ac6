"""A live token in a text that is posted: nothing is posted, and the token ends."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from stoa.domain import limits, tokens
from tests.support.answers import Answer
from tests.support.app import App, signed
from tests.support.clock import HOUR
from tests.support.database import query
from tests.support.faces import Face
from tests.support.jobs import job_in
from tests.support.keys import Key
from tests.support.remote import Remote
from tests.support.server import Server
from tests.support.soaking import fourth

pytestmark = pytest.mark.checks_input

NOBODY = "01arz3ndektsv4rrffq69g5fav"
TABLES = ("thread", "reply", "job", "submission", "receipt", "posting", "kept_answer")


def secret_in(answer: Answer, *paths: str) -> Answer:
    """This answer, which must refuse a token in these members."""
    return answer.refused(400, "secret_in_text", *paths)


def is_dead(stoa: App, token: str) -> bool:
    """Whether no process takes the token any more."""
    headers = {"Authorization": f"Bearer {token}"}
    return {stoa.get("threads", headers=headers).status for _ in stoa.processes} == {401}


def invented(number: int) -> str:
    """A token in form, which was never given out."""
    return tokens.mint(number.to_bytes(tokens.RANDOM_BYTES, "big"))


def stored(stoa: App) -> list[Any]:
    """How much there is of everything that a write makes."""
    return [stoa.sql(f"SELECT count(*) FROM {name}") for name in TABLES]


T = "{token}"
"""Stands for the token in what is posted."""

THREAD = {"title": "t", "body": "b"}
JOB = {"title": "t", "description": "d", "rewardCredits": 1}
POSTED: list[tuple[str, dict[str, Any], str]] = [
    ("create_thread", {"title": f"My token: {T}", "body": "b"}, "title"),
    ("create_thread", {"title": "t", "body": f"curl -H 'Authorization: Bearer {T}'\n"}, "body"),
    ("create_thread", {**THREAD, "tags": ["sqlite", T]}, "tags"),
    ("create_thread", {**THREAD, "bountyCredits": T}, "bountyCredits"),
    ("create_thread", {**THREAD, "unknown": {"deep": [{"deeper": f"x{T}x"}]}}, "unknown"),
    ("create_thread", {**THREAD, "unknown": {T: 1}}, "unknown"),
    ("create_thread", {**THREAD, T: 1}, ""),
    ("reply_to_thread", {"threadId": "thread", "body": T}, "body"),
    ("reply_to_thread", {"threadId": "thread", "body": "b", "parentReplyId": T}, "parentReplyId"),
    ("reply_to_thread", {"threadId": T, "body": "b"}, "threadId"),
    ("accept_reply", {"threadId": "thread", "replyId": T}, "replyId"),
    ("create_job", {**JOB, "description": T}, "description"),
    ("create_job", {**JOB, "requirements": ["r", f"use {T}"]}, "requirements"),
    ("create_job", {**JOB, "verification": {"requirements": [T]}}, "verification"),
    ("claim_job", {"jobId": T}, "jobId"),
    ("submit_job", {"jobId": "job", "body": f"Done with {T}"}, "body"),
    ("submit_job", {"jobId": "job", "body": "b", "artifacts": [{"name": T}]}, "artifacts"),
    (
        "submit_job",
        {
            "jobId": "job",
            "body": "b",
            "artifacts": [{"name": "a", "url": f"https://a.example/?t={T}"}],
        },
        "artifacts",
    ),
    (
        "submit_job",
        {"jobId": "job", "body": "b", "artifacts": [{"name": "a", "text": T}]},
        "artifacts",
    ),
    ("reject_job", {"jobId": "job", "reasonCode": "other", "message": T}, "message"),
    ("accept_job", {"jobId": "job", "note": T}, "note"),
]


def filled(arguments: Any, **places: str) -> Any:
    """The arguments with the token and the ids of what there is."""
    text = json.dumps(arguments).replace(T, places["token"])
    for name in ("thread", "job"):
        text = text.replace(f'"{name}"', f'"{places[name]}"')
    return json.loads(text)


@pytest.mark.promise("S10")
@pytest.mark.parametrize(("tool", "arguments", "path"), fourth(POSTED, 1))
def test_a_live_token_in_any_text_is_refused_and_revoked(
    stoa: App, face: Face, tool: str, arguments: dict[str, Any], path: str
) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    places = {"thread": bob.thread()["id"], "job": job_in("CLAIMED", bob, alice)["id"]}
    before = stored(stoa)
    for _ in stoa.processes:
        alice.get("threads").ok()  # so that each process has the token in its cache
    answer = face.call(tool, filled(arguments, token=alice.token, **places), alice)
    where = {f"path.{path}", path} & {*answer.issues}
    secret_in(answer, *where)
    assert len(where) == 1
    assert answer["retryable"] is False
    assert "/api/v1/auth/challenge" in answer["recovery"]
    assert alice.token not in answer.text
    assert is_dead(stoa, alice.token)
    assert stored(stoa) == before
    bob.get("threads").ok()


@pytest.mark.parametrize("text", [f"My token was {T}.", T])
def test_a_token_that_has_ended_is_text_like_any_other(stoa: App, face: Face, text: str) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    secret_in(face.call("create_thread", {"title": "t", "body": bob.token}, alice))
    for dead in (bob.token, invented(1), alice.token[:-1], alice.token.upper()):
        thread = face.call("create_thread", {"title": "t", "body": text.replace(T, dead)}, alice)
        assert thread.ok(201)["thread"]["body"]["body"] == text.replace(T, dead)


def test_the_token_of_another_agent_is_revoked_and_the_callers_own_lives(stoa: App) -> None:
    alice, bob, carol = (stoa.agent(name) for name in ("alice", "bob", "carol"))
    body = f"{bob.token} and {carol.token} and {invented(1)}"
    secret_in(alice.post("threads", {"title": "t", "body": body}), "body")
    assert is_dead(stoa, bob.token)
    assert is_dead(stoa, carol.token)
    alice.thread()
    older = bob.token
    bob.sign_in()
    assert is_dead(stoa, older)
    bob.thread()


@pytest.mark.settings(token_ttl_seconds=3600)
def test_an_expired_token_is_text(stoa: App) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    stoa.clock.advance(HOUR)
    bob.sign_in()
    bob.thread(body=alice.token)


PROFILES: list[dict[str, Any]] = [
    {"displayName": T},
    {"description": f"I use {T}"},
    {"capabilities": ["sql", T]},
    {"unknown": T},
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["alice", "new"])
def test_a_live_token_in_a_profile_is_refused_and_revoked(
    stoa: App, name: str, profile: dict[str, Any]
) -> None:
    alice = stoa.agent("alice")
    key = Key(name)
    sent = json.loads(json.dumps(profile).replace(T, alice.token))
    body = signed(key, stoa.challenge(key))
    secret_in(stoa.post("auth/verify", {**body, **sent}), *profile)
    assert is_dead(stoa, alice.token)
    assert stoa.get("agents").ok()["agents"][0]["displayName"] == "alice"
    assert len(stoa.get("agents").ok()["agents"]) == 1
    stoa.post("auth/verify", body).ok()  # the challenge was not used up


def test_a_live_token_as_idempotency_key_or_parameter_is_refused_and_revoked(stoa: App) -> None:
    alice = stoa.agent("alice")
    answer = alice.post("threads", THREAD, headers={"Idempotency-Key": alice.token})
    secret_in(answer, "Idempotency-Key")
    alice.sign_in()
    secret_in(alice.post(f"threads?token={alice.token}", THREAD), "query.token")
    alice.sign_in()
    secret_in(alice.post(f"threads?{alice.token}=1", THREAD), "")
    assert is_dead(stoa, alice.token)
    assert stoa.get("threads").ok()["threads"] == []


def test_a_token_for_authorization_is_no_text(stoa: App, face: Face) -> None:
    alice = stoa.agent("alice")
    for _ in range(2):
        face.call("create_thread", THREAD, alice).ok(201)
    stoa.get(f"search?q={alice.token}", headers=alice.headers).ok()
    alice.thread()


def test_what_cannot_be_read_is_told_first_and_then_the_token(stoa: App) -> None:
    alice = stoa.agent("alice")
    alice.post("threads", b'{"title":"%b"' % alice.token.encode()).invalid()
    alice.post("threads", THREAD | {"title": alice.token}, headers={"Content-Type": "text/plain"})
    alice.get("threads").ok()
    body = {"body": alice.token, "parentReplyId": 7, "quiet": "x"}
    secret_in(alice.post(f"threads/th_{NOBODY}/replies", body), "body")


@pytest.mark.settings(limit_threads=5, limit_reads_agent=9)
def test_such_a_write_is_charged_as_a_refused_one(stoa: App) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    answer = secret_in(alice.post("threads", {"title": "t", "body": bob.token}))
    assert answer.rate == ("reads", 9, 8)


@pytest.mark.parametrize("count", [1, 900])
def test_any_number_of_invented_tokens_that_a_body_has_room_for_is_text(
    stoa: App, count: int
) -> None:
    alice = stoa.agent("alice")
    body = "".join(map(invented, range(count)))
    alice.thread(body=body)
    secret_in(alice.post("threads", {"title": "t", "body": body + alice.token}), "body")
    assert is_dead(stoa, alice.token)


def test_more_than_that_are_refused_and_not_looked_up(stoa: App) -> None:
    alice = stoa.agent("alice")
    fakes = [invented(number) for number in range(limits.TOKENS_IN_TEXT)]
    alice.post("threads", {**THREAD, "unknown": fakes}).ok(201)
    alice.post("threads", {**THREAD, "unknown": [*fakes, alice.token]}).invalid("")
    alice.thread()


def test_in_every_process_it_ends_at_once_and_no_log_repeats_it(
    engine: str, shared_servers: Callable[[str], Server]
) -> None:
    server, key = shared_servers(engine), Key("leaky")
    with Remote(server.url) as remote:
        token = remote.sign_in(key)["token"]
        answer = remote.post("threads", {"title": "t", "body": f"Bearer {token}"})
        assert (answer.status_code, answer.json()["code"]) == (400, "secret_in_text")
    for _ in range(20):
        with Remote(server.url) as remote:
            headers = {"Authorization": f"Bearer {token}"}
            assert remote.call("GET", "threads", headers=headers).status_code == 401
    assert "bearer tokens were posted" in server.log
    assert token not in server.log
    assert query(server.database, "SELECT count(*) FROM thread WHERE body LIKE ?", "%stoa_%") == [
        (0,)
    ]
