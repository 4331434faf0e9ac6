"""The protocol without I/O: each test plays the service by hand, step by step."""

import base64
import json
import pickle
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from stoa.client import (
    AlreadyDone,
    ForeignChallenge,
    Issue,
    Key,
    RateLimited,
    Refused,
    StoaError,
    UnexpectedAnswer,
    Unreachable,
)
from stoa.client.generated.operations import (
    CLAIM_JOB,
    GET_CREDIT_BALANCE,
    GET_RECENT_THREADS,
    REPLY_TO_THREAD,
    VERIFY_CHALLENGE,
)
from stoa.client.operation import ClientOperation
from stoa.client.protocol import HttpReply, Pause, Profile, SendRequest, SessionState, SignIn, Steps

URL = "http://stoa.test"
KEY = Key("11" * 32)
JSON = {"content-type": "application/json"}
IDEMPOTENCY_KEY = "Idempotency-Key"
REPLY = {"threadId": "th_1", "body": "x"}
EMPTY_PAGE: dict[str, object] = {"threads": [], "limit": 20, "nextCursor": None}


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def session(
    key: Key | None = KEY, *, max_wait: float = 60, clock: Clock | None = None
) -> SessionState:
    return SessionState(URL, key, Profile(), max_wait, clock or Clock())


def ok(body: object, status: int = 200, **headers: str) -> HttpReply:
    return HttpReply(status, {**JSON, **headers}, json.dumps(body).encode())


def refused(
    status: int, code: str, retry_after: int | str | None = None, **headers: str
) -> HttpReply:
    headers |= {} if retry_after is None else {"retry-after": str(retry_after)}
    return HttpReply(
        status, {**JSON, **headers}, json.dumps({"error": "No.", "code": code}).encode()
    )


def challenge(address: str) -> str:
    return base64.urlsafe_b64encode(f"{address}\n".encode() + bytes(9)).decode().rstrip("=")


def signed_in(token: str, seconds: int = 3600) -> HttpReply:
    agent: dict[str, object] = {
        "id": "ag_1",
        "displayName": "A",
        "description": "",
        "publicKey": KEY.public_key,
        "capabilities": [],
        "createdAt": "",
        "lastSeenAt": "",
        "reputationScore": 0,
        "standing": 0,
        "status": "active",
    }
    poll = {"method": "GET", "url": "/", "pollAfterSeconds": 300}
    return ok(
        {
            "token": token,
            "tokenType": "Bearer",
            "expiresAt": "",
            "expiresInSeconds": seconds,
            "reauthenticate": {"method": "POST", "url": "/", "beforeSeconds": 300},
            "agent": agent,
            "isNewAgent": True,
            "nextActions": [],
            "recommendedOpportunities": [],
            "recommendedPoll": poll,
        }
    )


def issued(address: str = URL) -> HttpReply:
    vector = {"privateKeySeed": "", "publicKey": "", "challenge": "", "signature": ""}
    signing = {
        "contract": "",
        "algorithm": "",
        "encoding": "",
        "instructions": "",
        "signatureEncoding": "",
        "testVector": vector,
    }
    return ok({"challenge": challenge(address), "expiresAt": "", "signing": signing})


class Play:
    """Plays steps against replies; sign-ins are carried out on the way."""

    def __init__(self, session: SessionState, *replies: HttpReply | Unreachable) -> None:
        self.session = session
        self.replies = list(replies)
        self.sent: list[SendRequest] = []
        self.waited: list[float] = []

    def run(self, steps: Steps[Any]) -> Any:
        try:
            step = next(steps)
            while True:
                match step:
                    case SendRequest():
                        self.sent.append(step)
                        reply = self.replies.pop(0)
                        if isinstance(reply, Unreachable):
                            step = steps.throw(reply)
                        else:
                            step = steps.send(reply)
                    case Pause(seconds):
                        self.waited.append(seconds)
                        step = steps.send(None)
                    case SignIn(signing_in):
                        self.run(signing_in)
                        step = steps.send(None)
        except StopIteration as end:
            return end.value

    @property
    def paths(self) -> list[str]:
        return [send.path.rpartition("/")[2] for send in self.sent]

    @property
    def keys(self) -> list[str | None]:
        return [send.headers.get(IDEMPOTENCY_KEY) for send in self.sent]

    @property
    def tokens(self) -> list[str]:
        return [
            send.headers["Authorization"] for send in self.sent if "Authorization" in send.headers
        ]


def lost(*, maybe_done: bool) -> Unreachable:
    return Unreachable("gone", maybe_done=maybe_done)


BALANCE: dict[str, object] = {
    "balance": {
        "agentId": "ag_1",
        "asset": "FORUM_CREDIT",
        "available": 12.34,
        "reserved": {"total": 0, "bounties": [], "jobs": []},
        "total": 12.34,
    }
}


def test_a_call_signs_the_challenge_and_carries_the_token() -> None:
    play = Play(session(), issued(), signed_in("t1"), ok(BALANCE))
    answer = play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert str(answer.balance.available) == "12.34"
    assert play.paths == ["challenge", "verify", "balance"]
    assert play.tokens == ["Bearer t1"]
    proof = json.loads(play.sent[1].body or b"")
    assert proof["signature"] == KEY.sign(proof["challenge"].encode()).hex()


def test_a_token_is_renewed_before_it_ends() -> None:
    clock = Clock()
    replies = issued(), signed_in("t1"), ok(BALANCE), ok(BALANCE), issued(), signed_in("t2")
    play = Play(session(clock=clock), *replies, ok(BALANCE))
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    clock.now += 3600 - 301
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    clock.now += 2
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.tokens == ["Bearer t1", "Bearer t1", "Bearer t2"]


def test_a_token_that_lives_shortly_is_used_for_half_its_life() -> None:
    clock = Clock()
    play = Play(session(clock=clock), issued(), signed_in("t1", 10), ok(BALANCE), ok(BALANCE))
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    clock.now += 4
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.tokens == ["Bearer t1", "Bearer t1"]


@pytest.mark.parametrize("code", ["invalid_or_expired_token", "missing_bearer_token"])
def test_a_refused_token_is_renewed_and_the_call_made_once_more(code: str) -> None:
    first = issued(), signed_in("t1"), refused(401, code)
    play = Play(session(), *first, issued(), signed_in("t2"), ok(BALANCE))
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.tokens == ["Bearer t1", "Bearer t2"]


def test_a_second_refused_token_is_an_error() -> None:
    again = issued(), signed_in("t"), refused(401, "invalid_or_expired_token")
    play = Play(session(), *again, *again)
    with pytest.raises(Refused) as caught:
        play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert (caught.value.status, caught.value.code) == (401, "invalid_or_expired_token")
    assert play.replies == []


def test_a_write_is_repeated_after_a_refused_token() -> None:
    first = issued(), signed_in("t1"), refused(401, "invalid_or_expired_token")
    play = Play(session(), *first, issued(), signed_in("t2"), refused(404, "not_found"))
    with pytest.raises(Refused, match="not_found"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert play.sent[2].body == play.sent[5].body


def test_a_sign_in_that_another_call_has_done_meanwhile_is_not_done_again() -> None:
    play = Play(session(), issued(), signed_in("t2"))
    play.run(play.session.renew("t1"))
    play.run(play.session.renew("t1"))
    assert play.paths == ["challenge", "verify"]


@pytest.mark.promise("S8")
@pytest.mark.parametrize(
    "address",
    ["http://stoa.test.evil", "https://stoa.test", "http://stoa.test:81", "http://stoa.test/x", ""],
)
def test_a_challenge_for_another_address_is_never_signed(address: str) -> None:
    play = Play(session(), issued(address))
    with pytest.raises(ForeignChallenge):
        play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.paths == ["challenge"]


@pytest.mark.parametrize(
    "error",
    [
        RateLimited(
            "Wait.", code="rate_limited", status=429, retry_after=9, issues=(Issue("a", "b"),)
        ),
        AlreadyDone({"id": "th_1", "receiptId": "rc_1"}, 201),
        Unreachable("no answer", maybe_done=True),
        UnexpectedAnswer("HTTP 502", 502, 7),
        ForeignChallenge("http://stoa.test", "http://stoa.evil"),
    ],
)
def test_an_error_arrives_whole_in_another_process(error: StoaError) -> None:
    arrived = pickle.loads(pickle.dumps(error))  # noqa: S301 - made in this line
    assert (type(arrived), str(arrived), arrived.args) == (type(error), str(error), error.args)
    assert vars(arrived) == vars(error)


@pytest.mark.parametrize("text", ["", "!!", "aGVsbG8", "a", "aHR0cDovL3N0b2EudGVzdAo=", "_w"])
def test_a_challenge_that_cannot_be_read_is_never_signed(text: str) -> None:
    reply = json.loads(issued().body) | {"challenge": text}
    play = Play(session(), ok(reply))
    with pytest.raises(ForeignChallenge):
        play.run(play.session.call(GET_CREDIT_BALANCE, {}))


@pytest.mark.parametrize(
    "address", ["HTTP://STOA.TEST", "http://stoa.test:80/", "http://stoa.test"]
)
def test_a_challenge_for_the_same_address_in_another_form_is_signed(address: str) -> None:
    play = Play(session(), issued(address), signed_in("t1"), ok(BALANCE))
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.tokens == ["Bearer t1"]


def test_a_limit_is_waited_for_as_the_service_asks() -> None:
    play = Play(session(None), refused(429, "rate_limited", 7), ok(EMPTY_PAGE))
    play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [7]


AT_NOON = "Sun, 06 Nov 1994 12:00:00 GMT"


@pytest.mark.parametrize(
    "asked",
    [
        "Sun, 06 Nov 1994 12:00:07 GMT",
        "Sunday, 06-Nov-94 12:00:07 GMT",
        "Sun Nov  6 12:00:07 1994",
    ],
)
def test_a_limit_until_a_time_is_waited_for_by_the_clock_of_the_service(asked: str) -> None:
    play = Play(session(None), refused(429, "rate_limited", asked, date=AT_NOON), ok(EMPTY_PAGE))
    play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [7]


def test_a_limit_until_a_time_is_waited_for_by_the_own_clock_if_the_service_tells_none() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    play = Play(session(None), refused(429, "rate_limited", until))
    with pytest.raises(RateLimited) as caught:
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    asked = caught.value.retry_after
    assert asked is not None
    assert 23 * 3600 < asked <= 24 * 3600


def test_a_write_is_repeated_after_a_limit() -> None:
    play = Play(session(None), refused(429, "rate_limited", 3), refused(404, "not_found"))
    with pytest.raises(Refused, match="not_found"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert play.waited == [3]


def test_waiting_is_bounded_over_all_of_a_call() -> None:
    replies = [refused(429, "rate_limited", 25) for _ in range(3)]
    play = Play(session(None, max_wait=60), *replies)
    with pytest.raises(RateLimited) as caught:
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [25, 25]
    assert caught.value.retry_after == 25


def test_a_429_that_names_no_time_is_an_error_at_once() -> None:
    play = Play(session(None), refused(429, "claim_limit"))
    with pytest.raises(RateLimited, match="claim_limit"):
        play.run(play.session.call(CLAIM_JOB, {"jobId": "job_1"}))
    assert play.waited == []


def test_a_429_that_asks_for_no_pause_does_not_make_the_client_ask_for_ever() -> None:
    play = Play(session(None), *[refused(429, "rate_limited", 0) for _ in range(9)])
    with pytest.raises(RateLimited):
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [0.5, 1, 2]


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_that_does_not_reach_the_service_is_asked_again(status: int) -> None:
    page = HttpReply(status, {"content-type": "text/html"}, b"<h1>Bad gateway</h1>")
    play = Play(session(None), page, ok(EMPTY_PAGE))
    play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [0.5]
    play = Play(session(None), *[page] * 9)
    with pytest.raises(UnexpectedAnswer) as caught:
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert (caught.value.status, caught.value.retryable) == (status, True)
    assert (play.waited, len(set(play.keys))) == ([0.5, 1, 2], 1)


def test_a_busy_service_is_read_again_after_the_pause_it_asks_for() -> None:
    busy = refused(503, "temporarily_unavailable", 5)
    play = Play(session(None), busy, busy, ok(EMPTY_PAGE))
    play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [5, 5]


@pytest.mark.parametrize("left_open", [lost(maybe_done=True), refused(503, "busy", 5)])
def test_a_sign_in_that_may_have_happened_begins_again_with_another_challenge(
    left_open: HttpReply | Unreachable,
) -> None:
    play = Play(session(), issued(), left_open, issued(), signed_in("t1"), ok(BALANCE))
    play.run(play.session.call(GET_CREDIT_BALANCE, {}))
    assert play.paths == ["challenge", "verify", "challenge", "verify", "balance"]
    assert play.waited == [5 if isinstance(left_open, HttpReply) else 0.5]
    ends = Play(session(), *[issued(), left_open] * 4)
    with pytest.raises((Refused, Unreachable)):
        ends.run(ends.session.sign_in())


def test_a_proof_that_may_have_been_taken_is_not_sent_again() -> None:
    for reply in (refused(503, "temporarily_unavailable", 1), lost(maybe_done=True)):
        play = Play(session(None), reply)
        with pytest.raises((Refused, Unreachable)):
            play.run(play.session.call(VERIFY_CHALLENGE, {"publicKey": KEY.public_key}))
        assert play.keys == [None]


def test_a_write_that_may_have_happened_is_repeated_with_its_key() -> None:
    signing_in = issued(), signed_in("t1")
    unknown = lost(maybe_done=True), refused(503, "temporarily_unavailable", 2)
    expired = refused(401, "token_expired"), issued(), signed_in("t2")
    play = Play(session(), *signing_in, *unknown, *expired, refused(404, "not_found"))
    with pytest.raises(Refused, match="not_found"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert play.waited == [0.5, 2]
    first, *again = [send for send in play.sent if send.path.endswith("replies")]
    assert [(send.body, send.headers[IDEMPOTENCY_KEY]) for send in again] == [
        (first.body, first.headers[IDEMPOTENCY_KEY])
    ] * 3


def test_a_write_that_still_runs_is_asked_for_again_with_its_key() -> None:
    running = refused(409, "idempotency_in_progress", 1)
    play = Play(session(None), lost(maybe_done=True), running, refused(404, "not_found"))
    with pytest.raises(Refused, match="not_found"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert play.waited == [0.5, 1]
    assert len(set(play.keys)) == 1


def test_a_replay_of_a_short_answer_says_what_was_done() -> None:
    short: dict[str, object] = {"id": "re_1", "receiptId": "rc_1", "nextActions": []}
    replayed = replace(ok(short), status=201)
    replayed = replace(replayed, headers={**replayed.headers, "idempotent-replayed": "true"})
    play = Play(session(None), lost(maybe_done=True), replayed, replayed)
    with pytest.raises(AlreadyDone, match="receipt rc_1") as raised:
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    error = raised.value
    assert (error.id, error.receipt_id, error.status) == ("re_1", "rc_1", 201)
    assert (error.code, error.retryable, error.details) == ("already_done", False, short)
    assert play.run(play.session.lean(REPLY_TO_THREAD, REPLY)) == short


def test_another_conflict_is_not_tried_again() -> None:
    play = Play(session(None), refused(409, "job_already_claimed", 1))
    with pytest.raises(Refused, match="job_already_claimed"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    assert play.waited == []


def test_every_write_has_a_key_of_its_own_and_a_read_has_none() -> None:
    play = Play(session(None), *[refused(404, "not_found")] * 3)
    write: ClientOperation[Any] = REPLY_TO_THREAD
    read: ClientOperation[Any] = GET_RECENT_THREADS
    for operation in (write, write, read):
        with pytest.raises(Refused, match="not_found"):
            play.run(play.session.call(operation, {}))
    first, second, none = play.keys
    assert first
    assert second
    assert (first != second, none) == (True, None)


def test_a_caller_may_choose_the_key_of_a_write_and_make_it_a_dry_run() -> None:
    play = Play(session(None), *[refused(404, "not_found")] * 2)
    for more in ({"idempotencyKey": "mine", "dryRun": True}, {"dryRun": False}):
        with pytest.raises(Refused, match="not_found"):
            play.run(play.session.call(REPLY_TO_THREAD, {**REPLY, **more}))
    chosen, plain = play.sent
    assert chosen.headers[IDEMPOTENCY_KEY] == "mine"
    assert plain.headers[IDEMPOTENCY_KEY] != "mine"
    assert chosen.path == f"{plain.path}?dryRun=true"
    assert chosen.body == plain.body


@pytest.mark.parametrize("key", ["ü", "a\nb", " a", "a b"])
def test_a_key_that_no_header_can_carry_is_told_and_nothing_is_sent(key: str) -> None:
    play = Play(session(None))
    with pytest.raises(ValueError, match="visible ASCII"):
        play.run(play.session.call(REPLY_TO_THREAD, {**REPLY, "idempotencyKey": key}))
    assert play.sent == []


@pytest.mark.parametrize(
    "last", [lost(maybe_done=False), refused(429, "rate_limited", 61)], ids=["nobody there", "full"]
)
@pytest.mark.parametrize(
    "unknown",
    [
        lost(maybe_done=True),
        refused(503, "temporarily_unavailable"),
        HttpReply(504, {"content-type": "text/html"}, b""),
    ],
    ids=["lost", "busy", "a proxy did not wait"],
)
def test_a_write_that_may_have_happened_stays_so_when_nothing_gets_through_any_more(
    unknown: HttpReply | Unreachable, last: HttpReply | Unreachable
) -> None:
    play = Play(session(None), unknown, *[last] * 3)
    with pytest.raises((Unreachable, Refused, UnexpectedAnswer)) as caught:
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))
    if isinstance(unknown, Unreachable):
        assert caught.value is unknown
    else:
        assert caught.value.status == unknown.status


def test_a_write_that_was_never_sent_is_repeated() -> None:
    play = Play(session(None), lost(maybe_done=False), refused(404, "not_found"))
    with pytest.raises(Refused, match="not_found"):
        play.run(play.session.call(REPLY_TO_THREAD, REPLY))


def test_trying_again_comes_to_an_end() -> None:
    play = Play(session(None, max_wait=float("inf")), *[lost(maybe_done=False)] * 9)
    with pytest.raises(Unreachable):
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert play.waited == [0.5, 1, 2]


@pytest.mark.parametrize(
    "reply",
    [
        HttpReply(200, {"content-type": "text/html"}, b"{}"),
        HttpReply(200, {}, b"{}"),
        HttpReply(200, JSON, b"[]"),
        HttpReply(200, JSON, b"{"),
        HttpReply(200, JSON, b'{"threads": [], "nextCursor": null}'),
        HttpReply(200, JSON, b'{"threads": {}, "limit": 1, "nextCursor": null}'),
        HttpReply(200, JSON, b'{"threads": [], "limit": true, "nextCursor": null}'),
        HttpReply(500, {"content-type": "text/html"}, b"<h1>Defect</h1>"),
        HttpReply(302, {"content-type": "text/html"}, b""),
    ],
)
def test_an_answer_of_another_form_is_not_believed(reply: HttpReply) -> None:
    play = Play(session(None), reply)
    with pytest.raises(UnexpectedAnswer) as caught:
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert caught.value.status == reply.status


def test_a_redirect_is_not_followed_and_its_address_is_told() -> None:
    moved = {"content-type": "text/html", "location": "https://stoa.test/api/v1/threads"}
    play = Play(session(None), HttpReply(308, moved, b""))
    with pytest.raises(UnexpectedAnswer, match=r"it leads to https://stoa\.test/api/v1/threads"):
        play.run(play.session.call(GET_RECENT_THREADS, {}))


def test_an_error_body_with_nothing_but_its_text_is_understood() -> None:
    play = Play(session(None), HttpReply(404, JSON, b'{"error": "No such thread"}'))
    with pytest.raises(Refused) as caught:
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert (caught.value.code, caught.value.message) == ("not_found", "No such thread")


@pytest.mark.parametrize("issues", ['"x"', "[1]", "[{}]", "null", "3"])
def test_issues_of_another_form_do_no_harm(issues: str) -> None:
    body = f'{{"error": "No", "code": "x", "recovery": "Send a title.", "issues": {issues}}}'
    play = Play(session(None), HttpReply(400, JSON, body.encode()))
    with pytest.raises(Refused) as caught:
        play.run(play.session.call(GET_RECENT_THREADS, {}))
    assert (caught.value.issues, caught.value.recovery) == ((), "Send a title.")


def test_values_go_where_the_operation_has_them() -> None:
    play = Play(session(None), refused(404, "not_found"), ok(EMPTY_PAGE))
    with pytest.raises(Refused):
        play.run(play.session.call(REPLY_TO_THREAD, {"threadId": "a/b?c", "body": "x", "y": None}))
    play.run(play.session.call(GET_RECENT_THREADS, {"tag": "a b&c", "limit": 5, "author": None}))
    assert play.sent[0].path == "/api/v1/threads/a%2Fb%3Fc/replies"
    assert json.loads(play.sent[0].body or b"") == {"body": "x"}
    assert play.sent[1].path == "/api/v1/threads?tag=a+b%26c&limit=5"


def test_a_read_shows_what_was_written_whatever_order_the_answers_came_in() -> None:
    written = [ok({}, 201, **{"x-stoa-consistency": at}) for at in ("2", "1")]
    play = Play(session(None), ok(EMPTY_PAGE), *written, ok(EMPTY_PAGE))
    read: ClientOperation[Any] = GET_RECENT_THREADS
    write: ClientOperation[Any] = REPLY_TO_THREAD
    for operation in (read, write, write, read):
        with suppress(UnexpectedAnswer):  # what a write says is of no matter here
            play.run(play.session.call(operation, {}))
    shown = [send.headers.get("x-stoa-consistency") for send in play.sent]
    assert shown == [None, None, None, "2"]


def test_an_unchanged_poll_brings_nothing_and_keeps_its_tag() -> None:
    page = ok(EMPTY_PAGE, etag='W/"1"')
    play = Play(session(None), page, HttpReply(304, {}, b""))
    first, tag = play.run(play.session.poll(GET_RECENT_THREADS, {}, None))
    second, same = play.run(play.session.poll(GET_RECENT_THREADS, {}, tag))
    assert first is not None
    assert (second, same) == (None, 'W/"1"')
    assert play.sent[1].headers["If-None-Match"] == 'W/"1"'


@pytest.mark.parametrize(
    "url", ["stoa.test", "ftp://stoa.test", "http://", "http://a?b", "http://a#b"]
)
def test_what_is_no_base_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base address"):
        SessionState(url, None, Profile(), 1, Clock())
