"""The cache that is bounded by the memory of what it holds."""

from stoa.caching import ByteCache

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


def test_a_value_larger_than_the_cache_is_not_kept() -> None:
    cache: ByteCache[str, str] = ByteCache(ENTRY, lambda _, value: len(value))
    first = cache.get("a", lambda key: key * 10)
    assert cache.get("a", lambda key: key * 20) != first
