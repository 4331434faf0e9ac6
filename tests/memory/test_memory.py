"""What is kept of rows, texts, polls and words has more room with a larger `STOA_CACHE_MB`."""

from sys import getsizeof

import pytest

from stoa.app import new_services
from stoa.caching import CachedKind
from stoa.memory.memory import Memory
from stoa.search.index import SearchIndex
from stoa.settings import Settings
from tests.support.app import App
from tests.support.composing import Composed, with_parts

ENTRY = 300


@pytest.fixture
def engine() -> str:
    """Where other processes write too, few rows are kept."""
    return "sqlite"


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def composed(memory: Memory) -> Composed:
    return with_parts(memory=lambda _: memory)


def _rooms(memory: Memory) -> list[int]:
    return [memory.rows.most_bytes, memory.lasting.most_bytes, memory.polls.most_bytes]


@pytest.mark.parametrize(("cache_mb", "times"), [(0, 1), (112, 1), (224, 2), (1120, 10)])
def test_rooms_grow_with_the_setting_but_never_shrink(cache_mb: int, times: int) -> None:
    settings = Settings(cache_mb=cache_mb, database_url="postgresql://localhost/unused")
    made = new_services(settings)
    assert _rooms(made.memory) == [times * room for room in _rooms(Memory())]
    assert made.index.known_bytes == times * SearchIndex().known_bytes


def test_what_all_caches_hold_is_counted(memory: Memory) -> None:
    for cache in (memory.rows, memory.lasting, memory.polls):
        texts = CachedKind[str, str](cache, lambda _, value: len(value))
        for value in ("longer", "text"):
            texts.put("key", value)
    assert memory.kept_bytes == 3 * (ENTRY + 4)


def test_threads_of_a_list_are_counted_with_what_is_beside_their_json(
    stoa: App, memory: Memory
) -> None:
    author = stoa.agent("author")
    for number in range(20):
        author.thread(f"Thread {number}")
    before = memory.rows.kept_bytes
    listed = stoa.get("threads?limit=20").ok().content
    assert memory.rows.kept_bytes - before > len(listed)


def test_words_of_agents_are_counted_as_they_lie_in_memory(stoa: App, memory: Memory) -> None:
    words = [f"{chr(0x20000 + number)}" * 64 for number in range(20)]
    agent = stoa.agent("agent", capabilities=words)
    before = memory.rows.kept_bytes
    agent.get("opportunities/recommended").ok()
    assert memory.rows.kept_bytes - before > sum(map(getsizeof, words))
