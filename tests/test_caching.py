"""The cache that is bounded by the memory of what it holds."""

import gc

from stoa.caching import ByteCache, kept_bytes

ENTRY = 300


def test_what_was_not_used_for_the_longest_time_is_evicted() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key * 100

    cache: ByteCache[str, str] = ByteCache(2 * (ENTRY + 100), lambda _, value: len(value))
    for key in "abacab":
        assert cache.get(key, make) == key * 100
    assert made == ["a", "b", "c", "b"]


def test_what_was_used_makes_way_for_what_is_used_now() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    cache: ByteCache[str, str] = ByteCache(10 * (ENTRY + 1), lambda _, value: len(value))
    for keys in ("abcdefghij", "klmnopqrst"):
        for key in 5 * keys:
            cache.get(key, make)
    assert made[-10:] == [*"klmnopqrst"]
    assert len(made) <= 30


def test_a_value_larger_than_the_cache_is_not_kept() -> None:
    cache: ByteCache[str, str] = ByteCache(ENTRY, lambda _, value: len(value))
    first = cache.get("a", lambda key: key * 10)
    assert cache.get("a", lambda key: key * 20) != first


def filled() -> ByteCache[str, str]:
    """A cache with room for one value, which took the place of another."""
    cache: ByteCache[str, str] = ByteCache(2 * ENTRY, lambda _, value: len(value))
    for key in "ab":
        cache.put(key, key * 4)
    return cache


def test_what_all_caches_hold_is_counted_as_long_as_they_are_there() -> None:
    gc.collect()  # those of tests before this one
    before = kept_bytes()
    caches = [filled() for _ in range(3)]
    assert kept_bytes() - before == 3 * (ENTRY + 4)
    del caches
    gc.collect()
    assert kept_bytes() == before
