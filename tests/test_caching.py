"""The cache that is bounded by the memory of what it holds."""

from stoa.caching import ByteCache, CachedKind

ENTRY = 300


def texts(cache: ByteCache) -> CachedKind[str, str]:
    return CachedKind(cache, lambda _, value: len(value))


def test_what_was_not_used_for_the_longest_time_is_evicted() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key * 100

    cache = texts(ByteCache(2 * (ENTRY + 100)))
    for key in "abacab":
        assert cache.get(key, make) == key * 100
    assert made == ["a", "b", "c", "b"]


def test_what_was_used_makes_way_for_what_is_used_now() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    cache = texts(ByteCache(10 * (ENTRY + 1)))
    for keys in ("abcdefghij", "klmnopqrst"):
        for key in 5 * keys:
            cache.get(key, make)
    assert made[-10:] == [*"klmnopqrst"]
    assert len(made) <= 30


def test_a_value_larger_than_the_cache_is_not_kept() -> None:
    cache = texts(ByteCache(ENTRY))
    first = cache.get("a", lambda key: key * 10)
    assert cache.get("a", lambda key: key * 20) != first


def test_kinds_share_their_room_and_the_one_that_takes_most_of_it_gives_way() -> None:
    cache = ByteCache(3 * (ENTRY + 10))
    one, other = texts(cache), texts(cache)
    for key in "ab":
        one.put(key, key * 10)
    other.put("a", "c" * 10)
    assert (one.find("a"), other.find("a")) == ("a" * 10, "c" * 10)
    other.put("d", "d" * 10)
    assert one.find_all("ab") == ["a" * 10, None]
    assert other.find_all("ad") == ["c" * 10, "d" * 10]
