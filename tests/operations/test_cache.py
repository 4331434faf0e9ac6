"""Ready answers: true as long as they are served, and never more than their share of memory."""

import random
from typing import Any

import msgspec
import pytest

from stoa.entropy import lifetime
from stoa.operations.cache import AnswerCache, Entry
from stoa.store.tx import EVERYTHING, Tx, Work
from tests.support.app import App

MIB = 1024 * 1024
NOISE = random.Random(1)


@pytest.fixture
def engine() -> str:
    """Where other processes write too, no answer is kept."""
    return "sqlite"


@pytest.fixture
def cache(stoa: App) -> AnswerCache:
    return AnswerCache(stoa.stoa.store, 32 * MIB)


def entry(stoa: App, shown_id: str = "th_1", size: int = 10, lives: int = 1000) -> Entry:
    """An entry that cannot be packed any closer."""
    stamp = stoa.stoa.store.stamp()
    return Entry(NOISE.randbytes(size), 'W/"a"', shown_id, stamp, stoa.clock.now + lives)


def change(stoa: App, key: str) -> None:
    async def touch(tx: Tx) -> None:
        tx.touch(key)

    stoa.run(stoa.stoa.store.write(touch))


def test_answers_that_are_made_together_end_one_after_the_other() -> None:
    lives = sorted(lifetime(900) for _ in range(1000))
    assert 600 <= lives[0] < lives[500] < lives[-1] <= 900
    assert lives[-1] - lives[0] > 200


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


@pytest.mark.parametrize("path", ["/api/v1/threads/{}?include=replies", "/forum/threads/{}"])
def test_a_write_that_overtakes_a_read_is_seen_by_the_next_one(
    stoa: App, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    ada = stoa.agent("ada")
    other, thread = ada.thread()["id"], ada.thread()["id"]
    store = stoa.stoa.store
    read = store.read
    reads, overtaken_at = 0, -1

    async def overtaken(work: Work[Any], **how: Any) -> Any:
        nonlocal reads
        reads += 1
        answer = await read(work, **how)
        if reads == overtaken_at:
            written = await ada.ask("POST", f"threads/{thread}/replies", {"body": "It overtook."})
            assert written.status == 201
        return answer

    monkeypatch.setattr(store, "read", overtaken)
    stoa.get(path.format(other))
    shown = path.format(thread)
    overtaken_at = 2 * reads  # the last one for this answer
    assert "It overtook." not in stoa.get(shown).text
    assert "It overtook." in stoa.get(shown).text
    made = reads
    assert "It overtook." in stoa.get(shown).text
    assert reads == made, "it is kept now"


def test_an_answer_ends_with_its_time(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa, lives=1000))
    assert cache.get("a", stoa.clock.now + 999)
    assert cache.get("a", stoa.clock.now + 1000) is None


def test_what_was_not_used_goes_when_memory_runs_over(stoa: App, cache: AnswerCache) -> None:
    for number in range(100):
        cache.put(f"{number}", entry(stoa, size=MIB))
        assert cache.get("0", stoa.clock.now), "the one in use stays"
    newest_first = range(99, 0, -1)
    kept = [number for number in newest_first if cache.get(f"{number}", stoa.clock.now)]
    assert 20 <= len(kept) <= 40
    assert kept == list(newest_first[: len(kept)])


def test_every_answer_comes_back_as_it_was(stoa: App, cache: AnswerCache) -> None:
    entries = {f"{number}": entry(stoa, size=MIB // 2) for number in range(50)}
    for key, kept in entries.items():
        cache.put(key, kept)
    for _ in range(2):
        assert {key: cache.get(key, stoa.clock.now) for key in entries} == entries


def test_answers_that_repeat_themselves_take_less_room(stoa: App, cache: AnswerCache) -> None:
    body = b"".join(b'{"status":"open","name":"%d"}' % number for number in range(30_000))
    for number in range(100):
        answer = msgspec.structs.replace(entry(stoa), body=body)
        cache.put(f"{number}", answer)
    assert sum(len(body) for _ in range(100)) > 2 * 32 * MIB
    assert all(cache.get(f"{number}", stoa.clock.now) for number in range(100))


def test_a_packed_answer_is_out_of_date_like_any_other(stoa: App, cache: AnswerCache) -> None:
    cache.put("a", entry(stoa))
    for number in range(20):
        cache.put(f"{number}", entry(stoa, "th_2", size=MIB))
    change(stoa, "th_1")
    assert cache.get("a", stoa.clock.now) is None
    assert cache.get("0", stoa.clock.now)


def test_without_memory_nothing_is_kept(stoa: App) -> None:
    cache = AnswerCache(stoa.stoa.store, 0)
    cache.put("a", entry(stoa))
    assert cache.get("a", stoa.clock.now) is None


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
