"""Tokens: their form, what the checksum catches, and finding them inside other text."""

import re
import time
import zlib
from string import ascii_lowercase, ascii_uppercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.digests import digest_of
from stoa.domain.tokens import LENGTH, PREFIX, find_in, mint, well_formed

RANDOM = st.binary(min_size=32, max_size=32)
ALPHABET = digits + ascii_uppercase + ascii_lowercase

TOKEN = mint(bytes(range(32)))
OTHER = mint(bytes(range(1, 33)))


@given(RANDOM)
def test_a_token_is_the_prefix_and_49_letters_and_digits(random: bytes):
    token = mint(random)
    assert re.fullmatch("stoa_[0-9A-Za-z]{49}", token)
    assert len(token) == LENGTH
    assert well_formed(token)


def test_the_form_of_a_token_stays_what_it_is():
    # Live tokens and the rules of secret scanners depend on it.
    assert mint(bytes(31) + b"\x01") == _checksummed("stoa_" + "0" * 42 + "1")
    assert TOKEN == "stoa_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1LXU68"


@given(RANDOM, RANDOM)
def test_different_random_bytes_give_different_tokens(one: bytes, other: bytes):
    assert (mint(one) == mint(other)) == (one == other)


@given(st.integers(0, 255))
def test_every_one_of_the_256_bits_counts(bit: int):
    flipped = (int.from_bytes(bytes(range(32))) ^ 1 << bit).to_bytes(32)
    assert mint(flipped)[:-6] != TOKEN[:-6]


@pytest.mark.parametrize("random", [bytes(32), b"\xff" * 32])
def test_the_least_and_the_greatest_random_bytes_make_a_token(random: bytes):
    assert well_formed(mint(random))


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_other_than_32_random_bytes_are_refused(length: int):
    with pytest.raises(ValueError, match=f"32 random bytes, got {length}"):
        mint(bytes(length))


def test_every_single_changed_character_is_noticed():
    changed = [
        TOKEN[:i] + other + TOKEN[i + 1 :]
        for i in range(LENGTH)
        for other in ALPHABET + "_-= \n"
        if other != TOKEN[i]
    ]
    assert len(changed) > LENGTH * 65
    assert [text for text in changed if well_formed(text)] == []


def test_every_single_flipped_bit_is_noticed():
    flipped = [
        TOKEN[:i] + chr(ord(TOKEN[i]) ^ 1 << n) + TOKEN[i + 1 :]
        for i in range(LENGTH)
        for n in range(8)
    ]
    assert [text for text in flipped if well_formed(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        PREFIX,
        TOKEN[:-1],
        TOKEN + "0",
        TOKEN + "\n",
        " " + TOKEN,
        TOKEN.upper(),
        TOKEN.lower(),
        TOKEN.removeprefix(PREFIX),
        "Bearer " + TOKEN,
        TOKEN.replace("0", "０"),
        TOKEN[:-1] + "\ud800",
        TOKEN[:5] + "_" * 49,
        PREFIX + digest_of(TOKEN).hex()[:49],
        digest_of(TOKEN).hex(),
    ],
)
def test_another_text_is_not_a_token(text: str):
    assert not well_formed(text)


@pytest.mark.parametrize("character", ["_", "-", "+", " ", "\n", "\x00", "é", "０", "𝟏", "日"])
def test_no_checksum_makes_up_for_a_character_that_tokens_do_not_have(character: str):
    assert well_formed(_checksummed("stoa_" + "a" * 43))
    for place in range(43):
        content = "stoa_" + "a" * place + character + "a" * (42 - place)
        assert not well_formed(_checksummed(content))


def _checksummed(content: str) -> str:
    rest = zlib.crc32(content.encode())
    return content + "".join(ALPHABET[rest // 62**place % 62] for place in range(5, -1, -1))


@given(st.text(max_size=60) | st.text(ALPHABET, min_size=49, max_size=49).map(PREFIX.__add__))
def test_any_text_gets_an_answer(text: str):
    assert not well_formed(text)


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        f"Authorization: Bearer {TOKEN}\r\n",
        f'{{"accessToken":"{TOKEN}"}}',
        f"https://stoa.example/?token={TOKEN}&x=1",
        f"before{TOKEN}after",
        f"({TOKEN}),",
        f"\n\t{TOKEN}\u200b",
        f"日本語{TOKEN}日本語",
        f"\ud800{TOKEN}\udfff",
        f"stoa_stoa_{TOKEN}",
        f"stoa{TOKEN}",
        f"{TOKEN}\n{TOKEN}{TOKEN}",
    ],
)
def test_a_token_inside_a_text_is_found_once(text: str):
    assert find_in(text) == [TOKEN]


def test_several_tokens_are_found_in_their_order():
    assert find_in(f"{OTHER} and {TOKEN}, then {OTHER}") == [OTHER, TOKEN]


def test_a_token_that_begins_inside_a_false_one_is_found():
    overlapping = [PREFIX + "a" * n + TOKEN for n in range(LENGTH)]
    assert [text for text in overlapping if find_in(text) != [TOKEN]] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "stoa_",
        "stoa_" * 50,
        TOKEN[:-1],
        TOKEN[1:],
        TOKEN[:20] + " " + TOKEN[20:],
        TOKEN.upper(),
    ],
)
def test_nothing_is_found_where_there_is_no_token(text: str):
    assert find_in(text) == []


@given(st.text(), RANDOM, st.text())
def test_a_token_is_found_in_any_surroundings(before: str, random: bytes, after: str):
    token = mint(random)
    assert find_in(before + token + after) == [token]


@pytest.mark.parametrize(
    "piece", ["stoa_", "stoa", "s", " ", PREFIX + "a" * 49, TOKEN, "stoa_" + "é" * 49]
)
def test_searching_takes_time_in_proportion_to_the_text(piece: str):
    short = piece * (100_000 // len(piece))
    # Quadratic work would take 16 times as long for four times the text.
    assert _seconds(short * 4) < 10 * max(_seconds(short), 0.0005)


def _seconds(text: str) -> float:
    """The least processor time of five searches."""
    times: list[float] = []
    for _ in range(5):
        start = time.process_time()
        find_in(text)
        times.append(time.process_time() - start)
    return min(times)
