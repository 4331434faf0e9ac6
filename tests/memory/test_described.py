"""Which opportunities have a word is looked up once."""

from stoa.caching import ByteCache
from stoa.memory.described import Described, Offers
from stoa.memory.offer_index import changed, none_on_offer
from stoa.store.opportunities import OfferTerm


def test_a_word_is_not_looked_for_again_beside_one_that_is_new() -> None:
    offers = Offers.of([])
    first = offers.look(offers.known(["ale"]), {0: b"\nale\nmalt\n", 1: b"\nhops\n"})
    assert first["ale"].have == 0b01
    known = offers.known(["ale", "malt"])
    second = offers.look(known, {0: b"\nmalt\n", 1: b"\nale\n"})
    assert second["malt"].have == 0b01
    assert second["ale"] == first["ale"], "texts never change, so these others were not read for it"
    more = offers.look(offers.known(["ale"]), {2: b"\nale\n"})
    assert (more["ale"].have, more["ale"].looked_at) == (0b101, 0b111)


def offer(name: str) -> OfferTerm:
    """A job without a tag."""
    return (name, "job", 1, 1, 0, "ag_1", None, None, None)


def test_what_was_found_is_known_of_what_is_still_on_offer() -> None:
    kept = Described(ByteCache(1_000))
    first = changed(none_on_offer(0), ["b 1 1 0", "a 1 1 0"], [offer("a"), offer("b")], 0)
    offers = kept.offers(first)
    offers.look(offers.known(["ale"]), {first.numbers["a"]: b"\nale\n"})
    second = changed(first, ["c 1 1 0", "a 1 1 0"], [offer("c")], 0)
    (known,) = kept.offers(second).known(["ale"]).values()
    assert known.have == known.looked_at == 1 << second.numbers["a"]
    anew = changed(none_on_offer(0), ["c 1 1 0", "a 1 1 0"], [offer("c"), offer("a")], 0)
    assert not any(kept.offers(anew).known(["ale"])["ale"])


def test_no_two_offers_have_the_same_number_where_threads_make_an_index_at_once() -> None:
    first = none_on_offer(0)
    one, other = (changed(first, [f"{name} 1 1 0"], [offer(name)], 0) for name in "ab")
    assert one.numbers["a"] != other.numbers["b"]
