"""The limiter against a naive list of calls; its figures; what happens between take and swap."""

import asyncio
import random
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from stoa.domain.addresses import bucket_key, client_address, parse_networks
from stoa.limits.limiter import Limiter
from stoa.operations.parts.buckets import Charge, RateBucket, headers
from tests.support.limiters import Limiters, Steps, in_memory, in_valkey
from tests.support.valkey import Valkey

NOW = 1_800_000_000_000
MINUTE = 60_000
HOUR = 3_600_000


@pytest.fixture(scope="session", params=["memory", "valkey"])
def limiters(request: pytest.FixtureRequest) -> Iterator[Limiters]:
    """Makes new limiters, of each kind in turn."""
    if request.param == "memory":
        yield in_memory
        return
    valkey: Valkey = request.getfixturevalue("valkey")
    with in_valkey(valkey.url) as new:
        yield new


def reads(limit: int, key: str = "a:ag_1") -> RateBucket:
    return RateBucket("reads", key, limit, MINUTE)


def threads(limit: int, key: str = "a:ag_1") -> RateBucket:
    return RateBucket("threads", key, limit, HOUR)


def fill(limiter: Steps, bucket: RateBucket, now: int = NOW) -> None:
    for _ in range(bucket.limit):
        assert limiter.take(now, bucket).allowed


def free_units(limiter: Steps, bucket: RateBucket, now: int = NOW) -> int:
    """How many more calls the bucket takes; takes them."""
    count = 0
    while limiter.take(now, bucket).allowed:
        count += 1
    return count


# --- The window is exact.


@pytest.mark.parametrize(
    ("after", "allowed"), [(0, 0), (1, 0), (59_999, 0), (60_000, 3), (9**9, 3)]
)
def test_a_call_counts_for_exactly_one_window(limiters: Limiters, after: int, allowed: int) -> None:
    limiter = limiters()
    fill(limiter, reads(3))
    assert free_units(limiter, reads(3), NOW + after) == allowed


def test_units_come_back_one_by_one_as_they_were_taken(limiters: Limiters) -> None:
    limiter = limiters()
    for second in range(3):
        limiter.take(NOW + second * 1000, reads(3))
    assert [free_units(limiter, reads(3), NOW + MINUTE + ms) for ms in (0, 999, 1000, 2000)] == [
        1,
        0,
        1,
        1,
    ]


def test_a_thousand_calls_in_a_minute_pass_exactly_the_limit(limiters: Limiters) -> None:
    limiter = limiters()
    times = sorted(random.Random(7).choices(range(NOW, NOW + MINUTE), k=1000))
    assert sum(limiter.take(now, reads(120)).allowed for now in times) == 120


def test_a_thousand_tasks_at_once_pass_exactly_the_limit(limiters: Limiters) -> None:
    async def take(limiter: Limiter) -> bool:
        return (await limiter.take(NOW, reads(600))).allowed

    assert sum(limiters().together(take, 1000)) == 600


def test_refused_calls_charge_nothing(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, reads(2))
    for ms in range(1, MINUTE, 100):
        assert not limiter.take(NOW + ms, reads(2)).allowed
    assert free_units(limiter, reads(2), NOW + MINUTE) == 2


def test_keys_and_resources_have_buckets_of_their_own(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, reads(2))
    assert free_units(limiter, reads(2, "ip:1.2.3.4")) == 2
    assert free_units(limiter, threads(2)) == 2


def test_a_clock_that_steps_back_never_lets_more_through(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, reads(2))
    assert free_units(limiter, threads(1), NOW + MINUTE) == 1
    late = [limiter.take(NOW + MINUTE - 5, reads(2)) for _ in range(3)]
    assert [charge.allowed for charge in late] == [True, True, False]
    assert free_units(limiter, reads(2), NOW + 2 * MINUTE - 1) == 0
    assert free_units(limiter, reads(2), NOW + 2 * MINUTE) == 2


def test_two_thousand_spoofed_addresses_pass_exactly_the_limit_of_one(limiters: Limiters) -> None:
    limiter, dice = limiters(), random.Random(32)
    trusted = parse_networks(["10.0.0.0/8"])
    passed = 0
    for _ in range(2000):
        spoofed = ".".join(str(dice.randrange(256)) for _ in range(4))
        address = client_address("198.51.100.7", [spoofed], [f"for={spoofed}"], trusted)
        passed += limiter.take(NOW, reads(120, f"ip:{bucket_key(address)}")).allowed
    assert passed == 120


# --- The figures.


@pytest.mark.parametrize(
    ("first", "now", "remaining", "reset"),
    [
        (NOW, NOW, 1, NOW // 1000 + 60),
        (NOW, NOW + 59_999, 1, NOW // 1000 + 60),
        (NOW + 1, NOW + 1, 1, NOW // 1000 + 61),
        (NOW + 999, NOW + 30_000, 1, NOW // 1000 + 61),
        (NOW, NOW + 60_000, 2, NOW // 1000 + 120),
    ],
)
def test_headers_of_an_allowed_call(
    limiters: Limiters, first: int, now: int, remaining: int, reset: int
) -> None:
    limiter = limiters()
    limiter.take(first, reads(3))
    assert headers(limiter.take(now, reads(3))) == [
        (b"x-ratelimit-limit", b"3"),
        (b"x-ratelimit-remaining", str(remaining).encode()),
        (b"x-ratelimit-reset", str(reset).encode()),
        (b"x-ratelimit-resource", b"reads"),
    ]


@pytest.mark.parametrize(
    ("first", "now", "retry_after"),
    [
        (NOW, NOW, 60),
        (NOW, NOW + 1, 60),
        (NOW, NOW + 1000, 59),
        (NOW, NOW + 59_000, 1),
        (NOW, NOW + 59_999, 1),
        (NOW + 1, NOW + 60_000, 1),
        (NOW + 999, NOW + 999, 60),
        (NOW + 999, NOW + 1000, 60),
    ],
)
def test_a_refusal_says_when_to_come_back(
    limiters: Limiters, first: int, now: int, retry_after: int
) -> None:
    limiter = limiters()
    limiter.take(first, reads(1))
    refusal = limiter.take(now, reads(1))
    assert refusal.retry_after == retry_after
    assert refusal.reset - now // 1000 - retry_after in (0, 1)
    assert (refusal.resource, refusal.limit, refusal.remaining) == ("reads", 1, 0)
    assert (b"x-ratelimit-remaining", b"0") in headers(refusal)


@given(st.integers(0, 10**6), st.integers(0, MINUTE - 1))
def test_who_waits_for_retry_after_gets_through(limiters: Limiters, first: int, later: int) -> None:
    limiter = limiters()
    limiter.take(NOW + first, reads(1))
    now = NOW + first + later
    refusal = limiter.take(now, reads(1))
    assert refusal.retry_after >= 1
    assert limiter.take(now + refusal.retry_after * 1000, reads(1)).allowed


# --- A write takes its own unit, and needs room in reads.


def test_looking_at_a_bucket_charges_nothing(limiters: Limiters) -> None:
    limiter = limiters()
    empty = limiter.look(NOW, reads(2))
    assert (empty.remaining, empty.reset, empty.allowed) == (2, 0, True)
    taken = limiter.take(NOW, reads(2))
    for _ in range(5):
        seen = limiter.look(NOW + 1, reads(2))
        assert (seen.limit, seen.remaining, seen.reset) == (2, 1, taken.reset)
    limiter.take(NOW + 2, reads(2))
    full = limiter.look(NOW + 3, reads(2))
    assert (full.remaining, full.reset) == (0, taken.reset)
    assert limiter.look(NOW + MINUTE + 2, reads(2)).remaining == 2
    assert limiter.look(NOW, reads(0)).limit == 0


def test_a_write_leaves_its_guard_uncharged(limiters: Limiters) -> None:
    limiter = limiters()
    charge = limiter.take(NOW, threads(10), reads(2))
    assert (charge.allowed, charge.resource, charge.remaining) == (True, "threads", 9)
    assert free_units(limiter, reads(2)) == 2


def test_a_write_is_refused_when_reads_are_full_and_shows_reads(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, reads(2))
    refusal = limiter.take(NOW, threads(10), reads(2))
    assert (refusal.allowed, refusal.resource, refusal.retry_after) == (False, "reads", 60)
    assert free_units(limiter, threads(10)) == 10


def test_a_write_with_both_buckets_full_shows_its_own(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, reads(2))
    fill(limiter, threads(1))
    refusal = limiter.take(NOW, threads(1), reads(2))
    assert (refusal.allowed, refusal.resource, refusal.retry_after) == (False, "threads", 3600)


def test_a_refused_write_costs_a_read_instead(limiters: Limiters) -> None:
    limiter = limiters()
    charge = limiter.take(NOW, threads(10), reads(5))
    swapped = limiter.swap(NOW + 20, charge, reads(5))
    assert (swapped.allowed, swapped.resource, swapped.remaining) == (True, "reads", 4)
    assert free_units(limiter, threads(10)) == 10


def test_a_refused_write_gives_back_its_own_unit_not_an_older_one(limiters: Limiters) -> None:
    limiter = limiters()
    limiter.take(NOW, threads(2))
    charge = limiter.take(NOW + 1000, threads(2), reads(5))
    limiter.swap(NOW + 2000, charge, reads(5))
    assert free_units(limiter, threads(2), NOW + 3000) == 1
    assert free_units(limiter, threads(2), NOW + HOUR) == 1


def test_a_unit_can_be_given_back_without_another_bucket(limiters: Limiters) -> None:
    limiter = limiters()
    charge = limiter.take(NOW, threads(1))
    limiter.give_back(charge)
    assert free_units(limiter, threads(1)) == 1


def test_giving_back_a_unit_that_has_left_its_window_takes_no_other(limiters: Limiters) -> None:
    limiter = limiters()
    charge = limiter.take(NOW, threads(1))
    assert limiter.take(NOW + HOUR, threads(1)).allowed
    limiter.give_back(charge)
    assert free_units(limiter, threads(1), NOW + HOUR) == 0


def test_giving_back_a_refusal_changes_nothing(limiters: Limiters) -> None:
    limiter = limiters()
    fill(limiter, threads(1))
    refusal = limiter.take(NOW, threads(1))
    limiter.give_back(refusal)
    assert free_units(limiter, threads(1)) == 0


def test_reads_that_fill_up_during_a_write_turn_its_refusal_into_a_429(limiters: Limiters) -> None:
    limiter = limiters()
    charge = limiter.take(NOW, threads(10), reads(3))
    fill(limiter, reads(3))
    swapped = limiter.swap(NOW + 5, charge, reads(3))
    assert (swapped.allowed, swapped.resource, swapped.retry_after) == (False, "reads", 60)
    assert free_units(limiter, threads(10)) == 10


def test_refused_writes_in_flight_together_never_pass_more_than_reads_allow(
    limiters: Limiters,
) -> None:
    together = asyncio.Barrier(10)

    async def refused_write(limiter: Limiter) -> bool:
        charge = await limiter.take(NOW, threads(10), reads(4))
        await together.wait()
        return (await limiter.swap(NOW + 1, charge, reads(4))).allowed

    assert sum(limiters().together(refused_write, 10)) == 4


# --- Unlimited.


def test_an_unlimited_bucket_lets_all_through_without_headers(limiters: Limiters) -> None:
    limiter = limiters()
    charges = [limiter.take(NOW, reads(0)) for _ in range(5000)]
    assert all(charge.allowed for charge in charges)
    assert headers(charges[-1]) == []


def test_an_unlimited_write_is_still_refused_when_reads_are_full(limiters: Limiters) -> None:
    limiter = limiters()
    assert limiter.take(NOW, threads(0), reads(1)).allowed
    fill(limiter, reads(1))
    assert limiter.take(NOW, threads(0), reads(1)).resource == "reads"


def test_a_refused_write_swaps_from_and_to_unlimited_buckets(limiters: Limiters) -> None:
    limiter = limiters()
    unlimited = limiter.take(NOW, threads(0), reads(2))
    assert limiter.swap(NOW, unlimited, reads(2)).remaining == 1
    limited = limiter.take(NOW, threads(1), reads(0))
    assert headers(limiter.swap(NOW, limited, reads(0))) == []
    assert free_units(limiter, threads(1)) == 1


# --- Memory.


class Key(str):
    """A bucket key that says when nothing holds it any more."""

    __slots__ = ("__weakref__",)


def take_by_new_addresses(limiter: Steps, now: int, count: int) -> list[weakref.ref[Key]]:
    alive: list[weakref.ref[Key]] = []
    for number in range(count):
        key = Key(f"ip:{now}.{number}")
        alive.append(weakref.ref(key))
        limiter.take(now, reads(120, key))
    return alive


def count_alive(refs: list[weakref.ref[Key]]) -> int:
    return sum(ref() is not None for ref in refs)


def test_idle_addresses_are_dropped_little_by_little() -> None:
    limiter = in_memory()
    idle = take_by_new_addresses(limiter, NOW, 1000)
    assert count_alive(idle) == 1000
    for expected in (998, 996, 994):
        limiter.take(NOW + MINUTE, reads(120))
        assert count_alive(idle) == expected
    take_by_new_addresses(limiter, NOW + MINUTE, 500)
    assert count_alive(idle) == 0


def test_an_address_in_use_is_kept_however_old_it_is() -> None:
    limiter = in_memory()
    old = reads(3, "ip:old")
    for ms in range(0, 10 * MINUTE, MINUTE // 2):
        limiter.take(NOW + ms, old)
        take_by_new_addresses(limiter, NOW + ms, 50)
    assert free_units(limiter, old, NOW + 10 * MINUTE - 1) == 1


def test_a_busy_first_address_does_not_keep_the_idle_ones_after_it() -> None:
    limiter = in_memory()
    busy = reads(120, "ip:busy")
    limiter.take(NOW, busy)
    idle = take_by_new_addresses(limiter, NOW, 50)
    limiter.take(NOW + MINUTE - 1, busy)
    for _ in range(25):
        limiter.take(NOW + MINUTE, busy)
    assert count_alive(idle) == 0


def test_given_back_units_leave_nothing_behind() -> None:
    limiter = in_memory()
    key = Key("a:ag_2")
    alive = [weakref.ref(key)]
    limiter.give_back(limiter.take(NOW, reads(120, key)))
    del key
    limiter.take(NOW, reads(120))
    assert count_alive(alive) == 0


# --- The oracle: every call that was let through, in a plain list.

WINDOWS = {"reads": 1000, "threads": 5000}
BUCKETS = {
    ("reads", "a"): 3,
    ("reads", "b"): 1,
    ("reads", "c"): 0,
    ("threads", "a"): 2,
    ("threads", "b"): 4,
    ("threads", "c"): 2,
}
AGENTS = st.sampled_from("abc")


def bucket_of(resource: str, agent: str) -> RateBucket:
    return RateBucket(resource, agent, BUCKETS[resource, agent], WINDOWS[resource])


@dataclass
class NaiveLimiter:
    """The rule as it is written: count the calls of the last window, one by one."""

    calls: dict[RateBucket, list[int]] = field(default_factory=dict[RateBucket, list[int]])
    latest: int = 0

    def counted(self, bucket: RateBucket) -> list[int]:
        past = self.calls.setdefault(bucket, [])
        return [call for call in past if call + bucket.window_ms > self.latest]

    def full(self, bucket: RateBucket) -> bool:
        return bucket.limit > 0 and len(self.counted(bucket)) >= bucket.limit

    def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        self.latest = max(self.latest, now)
        for candidate in (bucket, guard):
            if candidate is not None and self.full(candidate):
                return self.charge(candidate, allowed=False)
        self.calls.setdefault(bucket, []).append(self.latest)
        return self.charge(bucket, allowed=True)

    def charge(self, bucket: RateBucket, *, allowed: bool) -> Charge:
        if not bucket.limit:
            return Charge(bucket)
        counted = self.counted(bucket)
        reset = (min(counted) + bucket.window_ms + 999) // 1000
        return Charge(
            bucket,
            allowed=allowed,
            remaining=bucket.limit - len(counted),
            reset=reset,
            retry_after=0 if allowed else max(1, self.wait(bucket)),
            taken_at=self.latest if allowed else 0,
        )

    def wait(self, bucket: RateBucket) -> int:
        leaves = min(self.counted(bucket)) + bucket.window_ms
        return (leaves - self.latest + 999) // 1000

    def give_back(self, charge: Charge) -> None:
        if charge.limit:
            self.calls[charge.bucket].remove(charge.taken_at)


class LimiterAgainstOracle(RuleBasedStateMachine):
    """Reads and writes of three agents, with writes in flight while others come and go."""

    def __init__(self) -> None:
        super().__init__()
        self.limiter = self.new()
        self.naive = NaiveLimiter()
        self.now = NOW
        self.writing: list[tuple[str, Charge]] = []

    def new(self) -> Steps:
        raise NotImplementedError

    @rule(step=st.one_of(st.integers(0, 400), st.integers(-3, 3), st.integers(900, 6000)))
    def time_passes(self, step: int) -> None:
        self.now += step

    @rule(agent=AGENTS)
    def read(self, agent: str) -> None:
        bucket = bucket_of("reads", agent)
        charge = self.limiter.take(self.now, bucket)
        assert charge == self.naive.take(self.now, bucket)

    @rule(agent=AGENTS)
    def begin_write(self, agent: str) -> None:
        bucket, guard = bucket_of("threads", agent), bucket_of("reads", agent)
        charge = self.limiter.take(self.now, bucket, guard)
        assert charge == self.naive.take(self.now, bucket, guard)
        if charge.allowed:
            self.writing.append((agent, charge))

    @precondition(lambda self: self.writing)
    @rule(data=st.data())
    def write_succeeds(self, data: st.DataObject) -> None:
        self.end_write(data)

    @precondition(lambda self: self.writing)
    @rule(data=st.data())
    def write_is_refused(self, data: st.DataObject) -> None:
        agent, charge = self.end_write(data)
        self.naive.give_back(charge)
        bucket = bucket_of("reads", agent)
        swapped = self.limiter.swap(self.now, charge, bucket)
        assert swapped == self.naive.take(self.now, bucket)

    @precondition(lambda self: self.writing)
    @rule(data=st.data())
    def write_is_given_up(self, data: st.DataObject) -> None:
        _, charge = self.end_write(data)
        self.naive.give_back(charge)
        self.limiter.give_back(charge)

    def end_write(self, data: st.DataObject) -> tuple[str, Charge]:
        return self.writing.pop(data.draw(st.integers(0, len(self.writing) - 1)))

    @invariant()
    def no_span_of_a_window_holds_more_than_the_limit(self) -> None:
        for bucket, calls in self.naive.calls.items():
            for start in calls:
                span = [call for call in calls if start <= call < start + bucket.window_ms]
                assert not bucket.limit or len(span) <= bucket.limit


def test_the_limiter_does_what_a_plain_list_of_calls_says(limiters: Limiters) -> None:
    class OneKind(LimiterAgainstOracle):
        def new(self) -> Steps:
            return limiters()

    run_state_machine_as_test(OneKind, settings=settings(max_examples=30, stateful_step_count=60))
