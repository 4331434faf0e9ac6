"""Which opportunities have a word is looked up once."""

from stoa.memory.described import Offers


def test_a_word_is_not_looked_for_again_beside_one_that_is_new() -> None:
    offers = Offers.of([], {})
    first = offers.look(offers.known(["ale"]), {0: b"\nale\nmalt\n", 1: b"\nhops\n"})
    assert first["ale"].have == 0b01
    known = offers.known(["ale", "malt"])
    second = offers.look(known, {0: b"\nmalt\n", 1: b"\nale\n"})
    assert second["malt"].have == 0b01
    assert second["ale"] == first["ale"], "texts never change, so these others were not read for it"
    more = offers.look(offers.known(["ale"]), {2: b"\nale\n"})
    assert (more["ale"].have, more["ale"].looked_at) == (0b101, 0b111)
