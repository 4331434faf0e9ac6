"""Ready answers: true as long as they are served, and never more than their share of memory."""

import random

import pytest
from lz4 import block

from stoa.calls.validity import Validity
from stoa.entropy import lifetime
from stoa.memory.answers import AnswerCache
from stoa.store.changes import EVERYTHING, Changes

MIB = 1024 * 1024
NOISE = random.Random(1)


class Cached:
    """A cache, with a clock that stands still unless `now` is moved."""

    def __init__(self, most_bytes: int = 32 * MIB) -> None:
        self.changes = Changes()
        self.others = 0
        self.cache = AnswerCache(self.changes, most_bytes, lambda: self.others)
        self.now = 1_000_000

    def put(
        self, key: str, depends_on: str = "th_1", size: int = 10, lives: int | None = None
    ) -> bytes:
        """Keep an answer that cannot be packed any closer, and ask for it once. It shows the agent
        ag_1."""
        body = self.put_bytes(key, NOISE.randbytes(size), depends_on, lives)
        self.get(key)
        return body

    def put_bytes(
        self, key: str, body: bytes, depends_on: str = "th_1", lives: int | None = None
    ) -> bytes:
        """Keep an answer that nobody has asked for again."""
        draft = self.cache.draft()
        deadline = lives and self.now + lives
        shown = frozenset({"ag_1"})
        draft.add(Validity(frozenset({depends_on}), deadline, shown, self.changes.data_version()))
        self.cache.put(key, draft, body, 'W/"a"', self.now)
        return body

    def get(self, key: str) -> bytes | None:
        entry = self.cache.get(key, self.now)
        return entry.body if entry else None


@pytest.fixture
def cached() -> Cached:
    return Cached()


def test_answers_that_are_made_together_end_one_after_the_other() -> None:
    lives = sorted(lifetime(900) for _ in range(1000))
    assert 600 <= lives[0] < lives[500] < lives[-1] <= 900
    assert lives[-1] - lives[0] > 200


def test_an_answer_is_kept_until_what_it_shows_changes(cached: Cached) -> None:
    cached.put("a")
    cached.changes.mark(["th_2"])
    assert cached.get("a")
    cached.changes.mark(["th_1"])
    assert cached.get("a") is None


def test_an_answer_is_out_of_date_when_everything_may_have_changed(cached: Cached) -> None:
    cached.put("a")
    cached.changes.mark([EVERYTHING])
    assert cached.get("a") is None


def test_an_answer_that_was_read_while_a_change_went_on_is_never_served(cached: Cached) -> None:
    draft = cached.cache.draft()
    draft.add(Validity(frozenset({"th_1"})))
    cached.changes.mark(["th_1"])
    cached.cache.put("a", draft, b"old", "", cached.now)
    assert cached.get("a") is None


def test_an_answer_that_was_read_from_an_unknown_table_is_not_kept(cached: Cached) -> None:
    draft = cached.cache.draft()
    draft.add(Validity(None))
    cached.cache.put("a", draft, b"unknown", "", cached.now)
    assert cached.get("a") is None


def test_an_answer_made_of_two_reads_ends_with_the_first_of_them(cached: Cached) -> None:
    draft = cached.cache.draft()
    for end in (9000, 500, None, 7000):
        draft.add(Validity(frozenset({"th_1"}), end and cached.now + end))
    cached.cache.put("a", draft, b"both", "", cached.now)
    cached.now += 499
    assert cached.get("a")
    cached.now += 1
    assert cached.get("a") is None


def test_an_answer_ends_with_its_time(cached: Cached) -> None:
    cached.put("a", lives=1000)
    cached.now += 999
    assert cached.get("a")
    cached.now += 1
    assert cached.get("a") is None


def test_an_answer_stays_as_long_as_the_agents_it_shows_do_nothing(cached: Cached) -> None:
    body = cached.put("a", lives=3_600_000)
    for _ in range(59):
        cached.now += 60_000
        assert cached.get("a") == body
    cached.now += 60_000
    assert cached.get("a") is None


@pytest.mark.parametrize("minutes", [0, 1, 7])
def test_an_answer_whose_agents_acted_is_kept_for_a_minute(cached: Cached, minutes: int) -> None:
    cached.put("a")
    for _ in range(minutes):
        cached.now += 60_000
        assert cached.get("a")
    cached.changes.mark(["ag_1 eventual"])
    assert cached.get("a")
    cached.now += 60_000
    assert cached.get("a") is None


def test_an_answer_counts_from_the_first_time_that_an_agent_was_read(cached: Cached) -> None:
    draft = cached.cache.draft()
    draft.add(
        Validity(frozenset({"th_1"}), None, frozenset({"ag_1"}), cached.changes.data_version())
    )
    cached.changes.mark(["ag_1 eventual"])
    draft.add(
        Validity(frozenset({"th_1"}), None, frozenset({"ag_2"}), cached.changes.data_version())
    )
    cached.cache.put("a", draft, b"both", "", cached.now)
    assert cached.get("a")
    cached.now += 60_000
    assert cached.get("a") is None


def test_a_compressed_answer_stays_too(cached: Cached) -> None:
    bodies = [cached.put(f"{number}", size=MIB) for number in range(8)]
    for _ in range(3):
        cached.now += 60_000
        assert [cached.get(f"{number}") for number in range(8)] == bodies
    cached.changes.mark(["ag_1 eventual"])
    cached.now += 60_000
    assert not any(cached.get(f"{number}") for number in range(8))


def test_what_was_not_used_goes_when_memory_runs_over(cached: Cached) -> None:
    for number in range(60):
        cached.put(f"{number}", size=MIB)
        assert cached.get("0"), "the one in use stays"
    newest_first = range(59, 0, -1)
    kept = [number for number in newest_first if cached.get(f"{number}")]
    assert 20 <= len(kept) <= 40
    assert kept == list(newest_first[: len(kept)])


@pytest.mark.parametrize(("others", "least", "most"), [(0, 20, 32), (16, 10, 16), (90, 2, 5)])
def test_answers_leave_room_for_what_other_caches_hold(
    cached: Cached, others: int, least: int, most: int
) -> None:
    cached.others = others * MIB
    for number in range(50):
        cached.put(f"{number}", size=MIB)
    kept = sum(cached.get(f"{number}") is not None for number in range(49, 49 - most, -1))
    assert least <= kept <= most


def test_every_answer_comes_back_as_it_was(cached: Cached) -> None:
    bodies = {f"{number}": cached.put(f"{number}", size=MIB // 2) for number in range(50)}
    for _ in range(2):
        assert {key: cached.get(key) for key in bodies} == bodies


def test_answers_that_repeat_themselves_take_less_room(cached: Cached) -> None:
    body = b"".join(b'{"status":"open","name":"%d"}' % number for number in range(30_000))
    for number in range(100):
        cached.put_bytes(f"{number}", body)
        cached.get(f"{number}")
    assert 100 * len(body) > 2 * 32 * MIB
    assert all(cached.get(f"{number}") for number in range(100))


def test_a_packed_answer_is_out_of_date_like_any_other(cached: Cached) -> None:
    cached.put("a")
    for number in range(20):
        cached.put(f"{number}", "th_2", size=MIB)
    cached.changes.mark(["th_1"])
    assert cached.get("a") is None
    assert cached.get("0")


def test_answers_that_are_read_once_are_not_kept_long(cached: Cached) -> None:
    for number in range(100):
        cached.put_bytes(f"{number}", bytes(MIB))
    kept = [number for number in range(100) if cached.get(f"{number}")]
    assert kept
    assert kept[0] > 90


def test_an_answer_that_is_made_a_second_time_is_kept(cached: Cached) -> None:
    body = b"made " * MIB
    cached.put_bytes("a", body)
    fill(cached)
    assert cached.get("a") is None
    cached.put_bytes("a", body)
    fill(cached)
    assert cached.get("a") == body


def test_an_answer_that_is_made_again_after_a_write_is_kept(cached: Cached) -> None:
    cached.put("a", "th_2")
    cached.changes.mark(["th_2"])
    assert cached.get("a") is None
    body = cached.put_bytes("a", b"new", "th_2")
    fill(cached)
    assert cached.get("a") == body


def fill(cached: Cached) -> None:
    """Fill the cache, so that uncompressed answers make room."""
    for number in range(8):
        cached.put_bytes(f"filling {number}", bytes(MIB))


def test_an_answer_that_is_read_often_is_decompressed_once(
    cached: Cached, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, opened = cached.put("a"), list[bytes]()
    fill(cached)
    opening = block.decompress

    def counted(packed: bytes) -> bytes:
        opened.append(packed)
        return opening(packed)

    monkeypatch.setattr(block, "decompress", counted)
    for _ in range(2):
        cached.now += 20
        assert cached.get("a") == body
    assert len(opened) == 2, "seldom enough to be opened each time"
    for _ in range(10):
        cached.now += 1
        assert cached.get("a") == body
    assert len(opened) == 3


def test_only_so_many_answers_are_remembered(cached: Cached) -> None:
    for number in range(50_000):
        cached.put_bytes(f"{number}", b"")
    for number in range(50_000):
        assert len(cached.cache._remembered) <= 20_000  # pyright: ignore[reportPrivateUsage]
        cached.get(f"{number}")


def test_without_memory_nothing_is_kept() -> None:
    cached = Cached(most_bytes=0)
    cached.put("a")
    assert cached.get("a") is None


def test_where_other_processes_write_nothing_is_kept() -> None:
    cached = Cached()
    cached.cache = AnswerCache(None, 32 * MIB)
    cached.put("a")
    assert cached.get("a") is None


@pytest.mark.soak
def test_many_small_answers_run_over_too(cached: Cached) -> None:
    for number in range(100_000):
        cached.put(f"{number}", size=1)
    kept = sum(cached.get(f"{number}") is not None for number in range(100_000))
    assert 10_000 < kept < 80_000


def test_the_head_of_a_page_counts_too(cached: Cached) -> None:
    """It repeats the query of an address, of any length."""
    keys = [f"{number}" for number in range(200)]
    for key in keys:
        draft = cached.cache.draft()
        draft.add(Validity(frozenset({"th_1"}), None, frozenset(), cached.changes.data_version()))
        draft.head = NOISE.randbytes(MIB)
        cached.cache.put(key, draft, b"", 'W/"a"', cached.now)
        cached.get(key)
    kept = [key for key in keys if cached.get(key) is not None]
    assert 0 < len(kept) < 32


def test_an_answer_larger_than_all_memory_is_not_kept(cached: Cached) -> None:
    cached.put("a", size=40 * MIB)
    assert cached.get("a") is None
    cached.put("b")
    assert cached.get("b")


def test_an_answer_put_again_replaces_the_old_one(cached: Cached) -> None:
    for _ in range(100):
        cached.put("a", size=MIB)
    cached.put("b")
    assert cached.get("a")
    assert cached.get("b")
