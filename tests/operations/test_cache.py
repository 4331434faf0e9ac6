"""Ready answers: true as long as they are served, and never more than their share of memory."""

import pytest

from stoa.operations.cache import AnswerCache, Entry
from stoa.store.tx import EVERYTHING, Tx
from tests.support.app import App

MIB = 1024 * 1024


@pytest.fixture
def cache(stoa: App) -> AnswerCache:
    return AnswerCache(stoa.stoa.store)


def entry(stoa: App, shown_id: str = "th_1", size: int = 10, lives: int = 1000) -> Entry:
    stamp = stoa.stoa.store.stamp()
    return Entry(b"x" * size, 'W/"a"', shown_id, stamp, stoa.clock.now + lives)


def change(stoa: App, key: str) -> None:
    async def touch(tx: Tx) -> None:
        tx.touch(key)

    stoa.run(stoa.stoa.store.write(touch))


def test_an_answer_is_kept_until_what_it_shows_changes(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa))
    change(stoa, "th_2")
    assert cache.get("a", stoa.clock.now)
    change(stoa, "th_1")
    assert cache.get("a", stoa.clock.now) is None


def test_an_answer_is_out_of_date_when_any_profile_changes(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa))
    change(stoa, EVERYTHING)
    assert cache.get("a", stoa.clock.now) is None


def test_an_answer_read_while_a_change_went_on_is_never_served(
    stoa: App, cache: AnswerCache
) -> None:
    read = entry(stoa)
    change(stoa, "th_1")
    cache.put("a", read)
    assert cache.get("a", stoa.clock.now) is None


def test_an_answer_ends_with_its_time(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa, lives=1000))
    assert cache.get("a", stoa.clock.now + 999)
    assert cache.get("a", stoa.clock.now + 1000) is None


def test_what_was_not_used_goes_when_memory_runs_over(stoa: App, cache: AnswerCache) -> None:
    for number in range(100):
        cache.put(f"{number}", entry(stoa, size=MIB))
        assert cache.get("0", stoa.clock.now), "the one in use stays"
    kept = [number for number in range(100) if cache.get(f"{number}", stoa.clock.now)]
    assert 20 <= len(kept) <= 32
    assert kept[1:] == list(range(100 - len(kept) + 1, 100))


def test_many_small_answers_run_over_too(stoa: App, cache: AnswerCache) -> None:
    small = entry(stoa, size=1)
    for number in range(100_000):
        cache.put(f"{number}", small)
    kept = sum(cache.get(f"{number}", stoa.clock.now) is not None for number in range(100_000))
    assert 10_000 < kept < 80_000


def test_an_answer_larger_than_all_memory_is_not_kept(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa, size=40 * MIB))
    assert cache.get("a", stoa.clock.now) is None
    cache.put("b", entry(stoa))
    assert cache.get("b", stoa.clock.now)


def test_an_answer_put_again_replaces_the_old_one(stoa: App, cache: AnswerCache) -> None:
    for _ in range(100):
        cache.put("a", entry(stoa, size=MIB))
    cache.put("b", entry(stoa))
    assert cache.get("a", stoa.clock.now)
    assert cache.get("b", stoa.clock.now)
