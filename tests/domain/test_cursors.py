"""Cursors: what was put in comes out, and no other text is taken for one."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.cursors import CursorFormat

INTEGERS = st.integers(-(2**62), 2**62)
TEXTS = st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=200)
VALUES = st.lists(INTEGERS | TEXTS, max_size=4)
REFUSAL = "is not a cursor that this list gave out"


def encode(kind: str, *values: int | str) -> str:
    return CursorFormat(kind, ()).encode(*values)


def decode(kind: str, shape: tuple[type, ...], text: str) -> tuple[int | str, ...]:
    return CursorFormat(kind, shape).decode(text)


def _shape(values: list[int | str]) -> tuple[type, ...]:
    return tuple(type(value) for value in values)


def _spell(fields: str) -> str:
    return base64.urlsafe_b64encode(fields.encode()).rstrip(b"=").decode()


@given(VALUES)
def test_a_cursor_gives_back_what_was_put_in(values: list[int | str]):
    text = encode("threads.recent", *values)
    assert decode("threads.recent", _shape(values), text) == tuple(values)


@given(VALUES)
def test_a_cursor_can_stand_in_an_address_as_it_is(values: list[int | str]):
    assert set(encode("k", *values)) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    )


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("other", (int, str)),
        ("list.", (int, str)),
        ("LIST", (int, str)),
        ("", (int, str)),
        ("list", ()),
        ("list", (int,)),
        ("list", (str, str)),
        ("list", (int, int)),
        ("list", (int, str, str)),
        ("list", (bool, str)),
    ],
)
def test_a_cursor_of_another_list_or_shape_is_refused(kind: str, shape: tuple[type, ...]):
    with pytest.raises(ValueError, match=REFUSAL):
        decode(kind, shape, encode("list", 1, "a"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "A",
        "\ud800",
        "١",
        " " + encode("list", 12),
        encode("list", 12) + "\n",
        encode("list", 12) + "=",
        encode("list", 12)[:-1],
        encode("list", 12) + "!!!!",
        "A" * 4_000_000,
        _spell("1\nlist\ni1" + "0" * 1500),
        _spell("2\nlist\ni12"),
        _spell("1\nlist\ns12"),
        _spell("1\nlist\n12"),
        _spell("1\nlist\ni012"),
        _spell("1\nlist\ni+12"),
        _spell("1\nlist\ni1_2"),
        _spell("1\nlist\ni 12"),
        _spell("1\nlist\ni12 "),
        _spell("1\nlist\ni-0"),
        _spell("1\nlist\ni12\n"),
        _spell("1\nlist\ni1.5"),
        _spell("1\nlist\ni"),
        _spell("1\nlist\n"),
        _spell(f"1\nlist\ni{2**62 + 1}"),
        _spell("1\nlist\ni١٢"),
    ],
)
def test_a_text_that_this_list_did_not_give_out_is_refused(text: str):
    with pytest.raises(ValueError, match=REFUSAL):
        decode("list", (int,), text)


@pytest.mark.parametrize("value", ["x" * 201, "line\nend", "é", "\x7f", "\0"])
def test_a_text_out_of_its_bounds_is_refused_both_ways(value: str):
    with pytest.raises(ValueError, match="printable"):
        encode("list", value)
    with pytest.raises(ValueError, match=REFUSAL):
        decode("list", (str,), _spell(f"1\nlist\ns{value}"))


@pytest.mark.parametrize("value", [2**62 + 1, -(2**62) - 1, True])
def test_an_integer_out_of_its_bounds_is_not_encoded(value: int):
    with pytest.raises(ValueError, match="integers within"):
        encode("list", value)


@pytest.mark.parametrize("kind", ["", "A", "a b", "a\n", "x" * 41])
def test_a_kind_is_a_short_lower_case_name(kind: str):
    with pytest.raises(ValueError, match="kind of a cursor"):
        encode(kind, 1)


ORIGINAL = encode("list", 1763700000000, "th_01arz3ndektsv4rrffq69g5fav")


@given(st.data())
def test_a_mutated_cursor_is_refused_or_means_exactly_what_it_says(data: st.DataObject):
    place = data.draw(st.integers(0, len(ORIGINAL)))
    piece = data.draw(st.text(max_size=3) | st.text(alphabet="AEIMQz09-_=", max_size=3))
    text = ORIGINAL[:place] + piece + ORIGINAL[place + data.draw(st.integers(0, 3)) :]
    try:
        values = decode("list", (int, str), text)
    except ValueError:
        return
    assert encode("list", *values) == text
