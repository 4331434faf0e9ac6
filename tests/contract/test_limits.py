"""Rate limits over HTTP: exact sliding windows, units given back, headers, clients' addresses."""

from typing import Any

import msgspec
import pytest

from stoa.domain import tokens
from stoa.settings import Settings
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import HOUR, MINUTE, SECOND
from tests.support.database import everything_in
from tests.support.keys import Key
from tests.support.mcp import Mcp
from tests.support.valkey import Valkey

pytestmark = pytest.mark.checks_input

DEFAULTS = {
    name: getattr(Settings(), name)
    for name in Settings.__struct_fields__
    if name.startswith("limit_")
}
LOW = {
    "limit_reads_anonymous": 3,
    "limit_reads_agent": 4,
    "limit_threads": 2,
    "limit_replies": 2,
    "limit_accepts": 2,
}
NEW = {"title": "t", "body": "b"}


@pytest.fixture(params=["memory", "valkey"])
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    """The limits are counted in this process, or in Valkey as several processes count them."""
    if request.param == "memory":
        return settings
    valkey: Valkey = request.getfixturevalue("valkey")
    valkey.ask("FLUSHALL")
    return msgspec.structs.replace(settings, valkey_url=valkey.url)


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def passed(answers: list[Answer]) -> int:
    assert {answer.status for answer in answers} <= {200, 201, 429}
    return sum(answer.status != 429 for answer in answers)


# --- The defaults are exact.


@pytest.mark.settings(**DEFAULTS)
def test_a_hundred_and_twenty_anonymous_reads_a_minute(stoa: App) -> None:
    assert passed([stoa.get("threads") for _ in range(150)]) == 120
    stoa.clock.advance(MINUTE - 1)
    stoa.get("threads").refused(429, "rate_limited")
    stoa.clock.advance(1)
    assert passed([stoa.get("threads") for _ in range(150)]) == 120


@pytest.mark.settings(**DEFAULTS)
def test_six_hundred_reads_a_minute_of_an_agent(stoa: App, alice: Agent) -> None:
    assert passed([alice.get("threads?limit=1") for _ in range(610)]) == 600
    stoa.get("threads").ok()


@pytest.mark.settings(**DEFAULTS)
def test_ten_threads_an_hour(stoa: App, alice: Agent) -> None:
    assert passed([alice.post("threads", NEW) for _ in range(12)]) == 10
    stoa.clock.advance(HOUR - 1)
    alice.sign_in()
    alice.post("threads", NEW).refused(429, "rate_limited")
    stoa.clock.advance(1)
    assert passed([alice.post("threads", NEW) for _ in range(12)]) == 10


@pytest.mark.settings(**DEFAULTS)
def test_sixty_replies_an_hour(alice: Agent) -> None:
    path = f"threads/{alice.thread()['id']}/replies"
    assert passed([alice.post(path, {"body": "b"}) for _ in range(65)]) == 60


@pytest.mark.settings(**DEFAULTS | {"limit_threads": 0})
@pytest.mark.costly
def test_sixty_accepts_an_hour(stoa: App, alice: Agent) -> None:
    bobs = [stoa.agent(f"bob{number}") for number in range(25)]
    answers: list[Answer] = []
    for number in range(65):
        bob = bobs[number % len(bobs)]
        thread = alice.thread()
        answers.append(alice.accept(thread, bob.reply(thread)))
    assert passed(answers) == 60


@pytest.mark.settings(limit_reads_anonymous=50)
def test_calls_at_once_pass_exactly_the_limit(stoa: App) -> None:
    assert passed(stoa.together(*(stoa.ask("GET", "threads") for _ in range(120)))) == 50


@pytest.mark.settings(limit_threads=7)
def test_writes_at_once_pass_exactly_the_limit(stoa: App, alice: Agent) -> None:
    answers = stoa.together(*(alice.ask("POST", "threads", NEW) for _ in range(40)))
    assert passed(answers) == 7
    assert len(stoa.get("threads").ok()["threads"]) == 7


@pytest.mark.settings(limit_reads_anonymous=4)
def test_no_span_of_a_minute_holds_more_than_the_limit(stoa: App) -> None:
    passed_at: list[int] = []
    for step in range(400):
        stoa.clock.advance((7919 * step) % 9_000)
        if stoa.get("limits").status == 200 and stoa.get("threads").status == 200:
            passed_at.append(stoa.clock.now)
    spans = [sum(start <= at < start + MINUTE for at in passed_at) for start in passed_at]
    assert max(spans) == 4
    assert len(passed_at) > 80


# --- Headers.


@pytest.mark.settings(**LOW)
def test_every_charged_answer_shows_its_bucket(stoa: App, alice: Agent) -> None:
    now = stoa.clock.now // 1000
    first = stoa.get("threads", client="10.0.0.1").ok()
    assert first.rate == ("reads", 3, 2)
    assert int(first.headers["x-ratelimit-reset"]) == now + 60
    assert "retry-after" not in first.headers
    created = alice.post("threads", NEW).ok(201)
    assert created.rate == ("threads", 2, 1)
    assert int(created.headers["x-ratelimit-reset"]) == now + 3600
    thread = created["thread"]
    reply = alice.post(f"threads/{thread['id']}/replies", {"body": "b"}).ok(201)
    assert reply.rate == ("replies", 2, 1)
    assert alice.get("threads").ok().rate == ("reads", 4, 3)
    offered = alice.post(f"threads/{thread['id']}/bounty", {"credits": 2}).ok()
    assert offered.rate == ("threads", 2, 0)


@pytest.mark.settings(**LOW | {"limit_reads_anonymous": 0})
def test_an_accept_is_charged_to_its_own_bucket(stoa: App) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    thread = alice.thread()
    reply = bob.reply(thread)
    assert alice.accept(thread, reply).ok().rate == ("accepts", 2, 1)
    assert alice.accept(thread, reply).refused(409, "already_accepted").rate == ("reads", 4, 3)


@pytest.mark.settings(limit_reads_anonymous=3)
def test_reset_is_when_the_oldest_counted_call_leaves(stoa: App) -> None:
    start = stoa.clock.now
    stoa.clock.advance(1)
    stoa.get("threads").ok()
    stoa.clock.advance(20 * SECOND)
    answer = stoa.get("threads").ok()
    assert int(answer.headers["x-ratelimit-reset"]) == (start + MINUTE) // 1000 + 1
    stoa.clock.advance(40 * SECOND)
    answer = stoa.get("threads").ok()
    assert answer.rate == ("reads", 3, 1)
    assert int(answer.headers["x-ratelimit-reset"]) == (start + 20 * SECOND + MINUTE) // 1000 + 1


@pytest.mark.settings(limit_reads_anonymous=2)
@pytest.mark.parametrize("waited", [0, 1, 999, 1000, 59_000, 59_001, 59_999])
def test_retry_after_says_when_a_call_passes_again(stoa: App, waited: int) -> None:
    stoa.clock.advance(1)
    stoa.get("threads").ok()
    stoa.get("threads").ok()
    stoa.clock.advance(waited)
    answer = stoa.get("threads").refused(429, "rate_limited")
    wait = int(answer.headers["retry-after"])
    assert answer["retryAfter"] == wait
    assert 1 <= wait <= 60
    assert int(answer.headers["x-ratelimit-reset"]) - stoa.clock.now // 1000 - wait in (0, 1)
    assert answer.rate == ("reads", 2, 0)
    assert answer["retryable"] is True
    stoa.clock.advance(wait * SECOND)
    stoa.get("threads").ok()


@pytest.mark.settings(**LOW)
def test_a_full_bucket_is_named_and_a_429_charges_nothing(stoa: App, alice: Agent) -> None:
    alice.thread()
    alice.thread()
    for _ in range(5):
        answer = alice.post("threads", NEW).refused(429, "rate_limited")
        assert answer.rate == ("threads", 2, 0)
        named = answer["resource"], answer["limit"], answer["windowSeconds"]
        assert named == ("threads", 2, 3600)
        assert answer["retryAfter"] == 3600
    assert alice.get("threads").ok().rate == ("reads", 4, 3)


@pytest.mark.settings(**LOW)
def test_a_write_is_429_when_reads_are_full(stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    for _ in range(4):
        alice.get("threads").ok()
    answer = alice.post(f"threads/{thread['id']}/replies", {"body": "b"})
    answer.refused(429, "rate_limited")
    assert answer.rate == ("reads", 4, 0)
    stoa.clock.advance(MINUTE)
    reply = alice.post(f"threads/{thread['id']}/replies", {"body": "b"}).ok(201)
    assert reply.rate == ("replies", 2, 1)


@pytest.mark.promise("L4")
@pytest.mark.settings(**LOW)
def test_a_refused_write_gives_its_unit_back_and_takes_one_of_reads(
    stoa: App, alice: Agent
) -> None:
    assert alice.post("threads", {}).invalid().rate == ("reads", 4, 3)
    assert alice.post("threads", b"{").invalid().rate == ("reads", 4, 2)
    assert alice.post("threads", NEW).ok(201).rate == ("threads", 2, 1)
    assert alice.post("threads/x/replies", {"body": "b"}).refused(404, "not_found").rate == (
        "reads",
        4,
        1,
    )
    assert alice.post("threads", NEW).ok(201).rate == ("threads", 2, 0)


@pytest.mark.settings(**LOW)
def test_refused_writes_end_when_reads_are_full(alice: Agent) -> None:
    for _ in range(4):
        alice.post("threads", {}).invalid()
    answer = alice.post("threads", {}).refused(429, "rate_limited")
    assert answer.rate == ("reads", 4, 0)


@pytest.mark.settings(limit_reads_agent=6, limit_threads=50)
def test_refused_writes_at_once_never_take_more_than_reads_hold(stoa: App, alice: Agent) -> None:
    answers = stoa.together(*(alice.ask("POST", "threads", {}) for _ in range(30)))
    assert sorted(answer.status for answer in answers) == [400] * 6 + [429] * 24


@pytest.mark.settings(limit_threads=3)
def test_units_given_back_can_be_used(alice: Agent) -> None:
    for _ in range(10):
        alice.post("threads", {}).invalid()
    assert passed([alice.post("threads", NEW) for _ in range(5)]) == 3


@pytest.mark.settings(**LOW)
def test_sign_in_is_charged_to_reads_of_the_address(stoa: App) -> None:
    answer = stoa.post("auth/challenge", {"publicKey": "x"}).invalid()
    assert answer.rate == ("reads", 3, 2)
    stoa.agent("alice")
    stoa.post("auth/challenge", {"publicKey": "x"}).refused(429, "rate_limited")


@pytest.mark.settings(limit_reads_anonymous=0, limit_reads_agent=0, limit_threads=0)
def test_a_limit_of_zero_is_unlimited_and_shows_no_headers(stoa: App, alice: Agent) -> None:
    for answer in (
        stoa.get("threads").ok(),
        alice.post("threads", NEW).ok(201),
        alice.post("threads", {}).invalid(),
    ):
        assert not [name for name in answer.headers if name.startswith("x-ratelimit")]


# --- Whose bucket it is.


@pytest.mark.settings(**LOW)
def test_agents_and_addresses_have_buckets_of_their_own(stoa: App) -> None:
    alice = stoa.agent("alice")
    assert alice.get("threads").ok().rate == ("reads", 4, 3)
    assert stoa.get("threads", client="10.0.0.1").ok().rate == ("reads", 3, 2)
    assert stoa.get("threads", client="10.0.0.2").ok().rate == ("reads", 3, 2)
    assert alice.get("threads", client="10.0.0.1").ok().rate == ("reads", 4, 2)


@pytest.mark.settings(limit_reads_anonymous=3)
def test_an_ipv6_client_is_counted_by_its_network_and_a_mapped_one_as_ipv4(stoa: App) -> None:
    for number in range(3):
        stoa.get("threads", client=f"2001:db8:1:2::{number}").ok()
    stoa.get("threads", client="2001:db8:1:2:ffff::9").refused(429, "rate_limited")
    stoa.get("threads", client="2001:db8:1:3::1").ok()
    assert stoa.get("threads", client="::ffff:10.0.0.1").ok().rate == ("reads", 3, 2)
    assert stoa.get("threads", client="10.0.0.1").ok().rate == ("reads", 3, 1)


@pytest.mark.promise("L2")
@pytest.mark.settings(limit_reads_anonymous=5)
def test_forwarded_headers_of_a_stranger_change_nothing(stoa: App) -> None:
    answers = [
        stoa.get(
            "threads",
            headers=[
                ("X-Forwarded-For", f"10.1.{number}.1"),
                ("Forwarded", f"for=10.2.{number}.1"),
                ("X-Real-IP", f"10.3.{number}.1"),
            ],
        )
        for number in range(50)
    ]
    assert passed(answers) == 5


PROXIES: dict[str, Any] = {"limit_reads_anonymous": 2, "trusted_proxies": ["10.0.0.0/8", "::1"]}


@pytest.mark.settings(**PROXIES)
def test_behind_a_trusted_proxy_clients_are_told_apart_from_the_right(stoa: App) -> None:
    def ask(forwarded: str) -> Answer:
        return stoa.get("threads", headers={"X-Forwarded-For": forwarded}, client="10.0.0.1")

    for made_up in ("1.1.1.1, 7.7.7.7", "2.2.2.2, 7.7.7.7, 10.9.9.9"):
        ask(made_up).ok()
    ask("3.3.3.3,7.7.7.7").refused(429, "rate_limited")
    ask("7.7.7.8").ok()


@pytest.mark.settings(**PROXIES)
def test_two_header_lines_are_one_list(stoa: App) -> None:
    headers = [("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "7.7.7.7")]
    for _ in range(2):
        stoa.get("threads", headers=headers, client="10.0.0.1").ok()
    answer = stoa.get("threads", headers={"X-Forwarded-For": "7.7.7.7"}, client="10.0.0.2")
    answer.refused(429, "rate_limited")


@pytest.mark.settings(**PROXIES)
def test_nobody_makes_up_an_address_by_going_around_the_proxy(stoa: App) -> None:
    headers = {"X-Forwarded-For": "10.0.0.1, 7.7.7.7"}
    for _ in range(2):
        stoa.get("threads", headers=headers, client="8.8.8.8").ok()
    stoa.get("threads", headers=headers, client="8.8.8.8").refused(429, "rate_limited")
    stoa.get("threads", headers=headers, client="10.0.0.1").ok()


# --- What is not charged is shed.

AS_JSON = {"Accept": "application/json"}
UNCHARGED = ["limits", "/openapi.json", "/docs/errors", "/forum/unanswered.md", "/nothing"]


@pytest.mark.settings(limit_reads_anonymous=1)
@pytest.mark.parametrize("path", UNCHARGED)
def test_some_reads_are_free(stoa: App, path: str) -> None:
    for _ in range(3):
        answer = stoa.get(path)
        assert answer.status != 429
        assert "x-ratelimit-limit" not in answer.headers
    assert stoa.get("threads").ok().rate == ("reads", 1, 0)


@pytest.mark.promise("L5")
@pytest.mark.settings(limit_uncharged=600)
def test_uncharged_reads_above_600_a_minute_are_refused(stoa: App) -> None:
    statuses = [stoa.get(UNCHARGED[number % 5]).status for number in range(600)]
    assert 429 not in statuses
    for path in UNCHARGED:
        answer = stoa.get(path, headers=AS_JSON).refused(429, "rate_limited")
        assert int(answer.headers["retry-after"]) == answer["retryAfter"] == 60
        assert answer.rate == ("uncharged", 600, 0)
    stoa.get("limits", client="10.0.0.1").ok()
    stoa.get("threads").ok()
    stoa.clock.advance(MINUTE)
    stoa.get("limits").ok()


INVENTED = tokens.mint(bytes(tokens.RANDOM_BYTES))
DOOMED: list[tuple[str, dict[str, str], int]] = [
    ("/api/v1/nothing", {}, 404),
    ("/api/nothing", {}, 404),
    ("agents/me/nothing", {"Authorization": f"Bearer {INVENTED}"}, 404),
    ("credits/balance", {}, 401),
    ("threads", {"Authorization": "Bearer nonsense"}, 401),
    ("threads", {"Authorization": f"Bearer {INVENTED}"}, 401),
    ("threads", {"Authorization": f"Basic {INVENTED}"}, 401),
    ("limits", {"Authorization": f"Bearer {INVENTED}"}, 401),
]
"""Calls that end before a bucket is known."""


@pytest.mark.promise("L7")
@pytest.mark.settings(limit_uncharged=3)
@pytest.mark.parametrize(("path", "headers", "status"), DOOMED)
def test_calls_that_end_before_a_bucket_is_known_are_limited_by_address(
    stoa: App, path: str, headers: dict[str, str], status: int
) -> None:
    for _ in range(3):
        assert stoa.get(path, headers=headers).status == status
    answer = stoa.get(path, headers=headers).refused(429, "rate_limited")
    assert int(answer.headers["retry-after"]) == answer["retryAfter"] == 60
    stoa.get("/", headers=AS_JSON).refused(429, "rate_limited")
    assert stoa.get(path, headers=headers, client="10.0.0.1").status == status
    stoa.get("threads").ok()
    assert [stoa.get(path).status for path in ("/healthz", "/readyz")] == [200, 200]
    stoa.clock.advance(MINUTE)
    assert stoa.get(path, headers=headers).status == status


@pytest.mark.settings(limit_uncharged=3)
@pytest.mark.parametrize("token", [None, "Bearer nonsense", f"Bearer {INVENTED}"])
def test_tool_calls_without_a_valid_token_are_limited_by_address(
    stoa: App, token: str | None
) -> None:
    def ask() -> Answer:
        arguments = {"authorization": token} if token else {}
        return Mcp(stoa).call("get_credit_balance", arguments).ok()

    def code(answer: Answer) -> str:
        return answer["result"]["structuredContent"]["code"]

    refused = "invalid_or_expired_token" if token else "missing_bearer_token"
    assert [code(ask()) for _ in range(3)] == [refused] * 3
    last = ask()
    assert (code(last), last.rate) == ("rate_limited", ("uncharged", 3, 0))
    assert last.headers["retry-after"] == "60"


@pytest.mark.settings(limit_uncharged=3, token_ttl_seconds=3600)
def test_calls_with_an_expired_token_are_limited_and_with_a_live_one_not_counted(
    stoa: App, alice: Agent
) -> None:
    for _ in range(10):
        alice.get("threads").ok()
    for _ in range(3):
        stoa.get("nothing").refused(404, "not_found")
    stoa.get("nothing").refused(429, "rate_limited")
    stoa.clock.advance(HOUR)
    for _ in range(3):
        alice.get("threads").refused(401, "invalid_or_expired_token")
    alice.get("threads").refused(429, "rate_limited")


@pytest.mark.settings(limit_uncharged=3)
def test_above_the_ceiling_no_token_is_looked_up_that_was_not_live_before(
    stoa: App, alice: Agent
) -> None:
    bob = stoa.agent("bob")
    for _ in stoa.processes:
        bob.get("threads").ok()
    for _ in range(3):
        stoa.get("threads", headers={"Authorization": f"Bearer {INVENTED}"})
    alice.get("threads").refused(429, "rate_limited")
    bob.get("threads").ok()
    for _ in stoa.processes:
        alice.get("threads", client="10.0.0.1").ok()
    alice.get("threads").ok()


@pytest.mark.settings(limit_uncharged=0)
def test_without_a_limit_no_call_is_refused(stoa: App) -> None:
    headers = {"Authorization": f"Bearer {INVENTED}"}
    for _ in range(350):
        stoa.get("threads", headers=headers).refused(401, "invalid_or_expired_token")
        stoa.get("nothing").refused(404, "not_found")


# --- New keys.


def register(stoa: App, number: int, client: str, **options: Any) -> Answer:
    return stoa.verify(Key(f"new{number}"), client=client, **options)


@pytest.mark.promise("L3")
@pytest.mark.settings(limit_registrations=None)
def test_twenty_new_keys_a_day_for_one_address(stoa: App) -> None:
    for number in range(20):
        register(stoa, number, "10.0.0.1").ok()
        stoa.clock.advance(SECOND)
    answer = register(stoa, 20, "10.0.0.1").refused(429, "rate_limited")
    assert answer["retryAfter"] == int(answer.headers["retry-after"]) == 24 * 3600 - 20
    assert answer.rate == ("registrations", 20, 0)
    assert int(answer.headers["x-ratelimit-reset"]) == -(-stoa.clock.now // 1000) + 24 * 3600 - 20
    assert (answer["resource"], answer["limit"]) == ("registrations", 20)
    assert answer["windowSeconds"] == 24 * 3600
    register(stoa, 20, "10.0.0.2").ok()
    register(stoa, 5, "10.0.0.1").ok()
    stoa.clock.advance(24 * HOUR - 20 * SECOND - 1)
    register(stoa, 21, "10.0.0.1").refused(429, "rate_limited")
    stoa.clock.advance(1)
    register(stoa, 21, "10.0.0.1").ok()
    register(stoa, 22, "10.0.0.1").refused(429, "rate_limited")


@pytest.mark.settings(limit_registrations=2)
def test_the_429_comes_before_the_challenge_is_used_up(stoa: App) -> None:
    for number in range(2):
        register(stoa, number, "10.0.0.1").ok()
    key = Key("late")
    body = signed(key, stoa.challenge(key))
    wrong = {**body, "signature": "0" * 128}
    stoa.post("auth/verify", wrong, client="10.0.0.1").refused(401, "signature_invalid")
    stoa.post("auth/verify", body, client="10.0.0.1").refused(429, "rate_limited")
    stoa.post("auth/verify", body, client="10.0.0.2").ok()


@pytest.mark.settings(limit_registrations=2)
def test_one_network_of_ipv6_is_one_address(stoa: App) -> None:
    register(stoa, 0, "2001:db8::1").ok()
    register(stoa, 1, "2001:db8::2").ok()
    register(stoa, 2, "2001:db8::3").refused(429, "rate_limited")
    register(stoa, 2, "2001:db8:0:1::3").ok()


@pytest.mark.settings(limit_registrations=3)
def test_new_keys_at_once_are_exactly_the_limit(stoa: App) -> None:
    keys = [Key(f"k{number}") for number in range(20)]
    bodies = [signed(key, stoa.challenge(key)) for key in keys]
    answers = stoa.together(
        *(stoa.ask("POST", "auth/verify", body, client="10.0.0.1") for body in bodies)
    )
    assert passed(answers) == 3
    assert stoa.sql("SELECT count(*) FROM agent") == [(3,)]


@pytest.mark.settings(limit_registrations=None)
@pytest.mark.parametrize("client", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_not_counted_while_the_limit_is_not_set(stoa: App, client: str) -> None:
    assert passed([register(stoa, number, client) for number in range(25)]) == 25


@pytest.mark.settings(limit_registrations=2)
def test_loopback_is_counted_once_the_limit_is_set(stoa: App) -> None:
    assert passed([register(stoa, number, "127.0.0.1") for number in range(5)]) == 2


@pytest.mark.settings(limit_registrations=None, base_url="https://stoa.example")
@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_counted_while_the_base_url_is_public(stoa: App, client: str) -> None:
    """A proxy that the operator did not name stands for all its clients."""
    headers = {"X-Forwarded-For": "203.0.113.9", "Host": "stoa.example"}
    assert passed([register(stoa, n, client, headers=headers) for n in range(25)]) == 20


@pytest.mark.settings(limit_registrations=None, base_url="http://localhost:8080")
def test_loopback_is_not_counted_while_the_base_url_is_loopback(stoa: App) -> None:
    assert passed([register(stoa, number, "127.0.0.1") for number in range(25)]) == 25


@pytest.mark.settings(limit_registrations=2, trusted_proxies=["127.0.0.1"])
def test_behind_a_proxy_each_client_registers_for_itself(stoa: App) -> None:
    for number in range(6):
        headers = {"X-Forwarded-For": f"9.9.9.9, 7.7.7.{number % 3}"}
        register(stoa, number, "127.0.0.1", headers=headers).ok()
    headers = {"X-Forwarded-For": "9.9.9.9, 7.7.7.1"}
    register(stoa, 7, "127.0.0.1", headers=headers).refused(429, "rate_limited")


@pytest.mark.settings(limit_registrations=2)
def test_a_refused_key_leaves_no_agent_behind(stoa: App) -> None:
    for number in range(5):
        register(stoa, number, "10.0.0.1")
    assert stoa.sql("SELECT count(*) FROM agent") == [(2,)]


def test_the_address_itself_is_not_stored(stoa: App) -> None:
    register(stoa, 0, "203.0.113.77").ok()
    (stored,) = stoa.sql("SELECT address FROM registration")[0]
    assert b"203.0.113.77" not in stored
    assert b"203.0.113.77" not in everything_in(stoa.settings)


# --- The limits in force.


@pytest.mark.settings(
    **LOW
    | {"limit_registrations": 9, "limit_uncharged": 8, "token_ttl_seconds": 77}
    | {"limit_waits_agent": 5, "limit_waits_anonymous": 6, "events_days": 2}
)
def test_the_limits_in_force_can_be_read(stoa: App) -> None:
    limits = stoa.get("limits").ok()["limits"]
    buckets = {(row["resource"], row["per"]): row["limit"] for row in limits["buckets"]}
    assert buckets[("reads", "address")] == 3
    assert buckets[("reads", "agent")] == 4
    assert buckets[("threads", "agent")] == buckets[("replies", "agent")] == 2
    assert buckets[("accepts", "agent")] == 2
    assert buckets[("registrations", "address")] == 9
    assert buckets[("uncharged", "address")] == 8
    assert limits["lifetimes"]["tokenSeconds"] == 77
    assert limits["lifetimes"]["eventSeconds"] == 2 * 86_400
    assert limits["waits"] == {
        "perAgent": 5,
        "perAddress": 6,
        "seconds": 30,
        "commentSeconds": 15,
    }


@pytest.mark.settings(limit_registrations=None, trusted_proxies=["127.0.0.1"])
def test_a_client_that_a_local_proxy_cannot_name_is_not_exempt_from_the_limit_on_keys(
    stoa: App,
) -> None:
    headers = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=198.51.100.1"}
    for number in range(20):
        stoa.verify(Key(f"key {number}"), headers=headers).ok()
    stoa.verify(Key("one more"), headers=headers).refused(429, "rate_limited")
