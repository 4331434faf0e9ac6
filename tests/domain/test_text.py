"""Text: what labels, tags and names may hold, and how hidden characters are shown."""

import re
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from unicodedata import category

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.limits import TAG_CHARS, TAGS
from stoa.domain.text import (
    LABEL_PATTERN,
    NOT_BLANK_PATTERN,
    Problems,
    check_label,
    display_name,
    escape_invisible,
    is_blank,
    normalise_capability,
    normalise_tag,
    normalise_tags,
    portable,
)
from tests.support.soaking import few

REFUSED = [
    *range(0x20),
    *range(0x7F, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xE0000, 0xE0080),
]
BLANK = ["", " ", "\u00a0\u3000", "\u200b", "\ufeff\u200d", "\u00ad \u2060", "\u2800", "\u3164"]
# Format characters that do draw something: signs that span digits, and Egyptian joining controls.
DRAWN_FORMATS = {0x6DD, 0x70F, 0x8E2, 0x110BD, 0x110CD, *range(0x600, 0x606), 0x890, 0x891} | set(
    range(0x13430, 0x13440)
)
TEXT = st.text() | st.text(alphabet=" \t\n\u200b\u202e\U000e0041a,\ufe0f\u200d", max_size=12)


def every_character() -> Iterator[str]:
    """But for most of the planes in which no character is. Made anew for each test: as a list they
    take 0.2 s wherever this file is read."""
    empty, tags = range(0x40000, 0xE0000), range(0xE1000, 0x110000)
    few = (*empty[::251], empty[-1], *tags[::251], tags[-1])
    return map(chr, (*range(0x40000), *range(0xE0000, 0xE1000), *few))


def _is_label(text: str) -> bool:
    return re.search(LABEL_PATTERN, text) is not None


@pytest.mark.parametrize(
    "text",
    ["Which WAL mode?", " padded ", "日本語", "می‌خواهم", "👩‍💻", "é", "e\u0301", "a\u200bb"],
)
def test_a_label_that_can_be_seen_is_returned_as_sent(text: str):
    assert check_label(text) == text
    assert _is_label(text)


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad"])
def test_what_draws_nothing_is_no_space_and_stays_at_the_ends_of_names_and_tags(character: str):
    text = f"{character}a{character}"
    for trim in (display_name, normalise_tag, normalise_capability):
        assert trim(f" {text}\u2003") == text


def test_exactly_controls_overrides_and_the_tag_block_are_refused_in_labels():
    refused = [ord(character) for character in every_character() if not _is_label(f"a{character}b")]
    assert refused == REFUSED


def test_a_refused_character_is_named_wherever_it_stands():
    for code in REFUSED:
        for text in (f"{chr(code)}a", f"a{chr(code)}", f"a{chr(code)}b"):
            with pytest.raises(ValueError, match=re.escape(f"U+{code:04X}")):
                check_label(text)
            assert not _is_label(text)


@pytest.mark.parametrize("text", BLANK)
def test_a_label_of_which_nothing_can_be_seen_is_blank(text: str):
    assert is_blank(text)
    with pytest.raises(ValueError, match="Must not be blank"):
        check_label(text)
    assert not _is_label(text)


@given(TEXT)
def test_the_pattern_and_the_check_refuse_the_same_labels(text: str):
    try:
        check_label(text)
    except ValueError:
        assert not _is_label(text)
    else:
        assert _is_label(text)


@given(TEXT)
def test_the_patterns_mean_the_same_in_a_json_schema(text: str):
    def valid(pattern: str) -> bool:
        try:
            jsonschema.validate(text, {"pattern": pattern})
        except jsonschema.ValidationError:
            return False
        return True

    assert valid(LABEL_PATTERN) == _is_label(text)
    assert valid(NOT_BLANK_PATTERN) != is_blank(text)


@pytest.mark.parametrize("pattern", [LABEL_PATTERN, NOT_BLANK_PATTERN])
@given(TEXT)
def test_the_portable_pattern_matches_whatever_the_server_accepts(pattern: str, text: str):
    assert portable(pattern).isascii()
    if re.search(pattern, text):
        assert re.search(portable(pattern), text)


@pytest.mark.parametrize("text", ["", " ", "\u00a0", "a\x00b", "a\x1fb", "a\x7f", "\x9fa", "a\nb"])
def test_the_portable_pattern_of_labels_refuses_what_is_blank_and_controls(text: str):
    assert not re.search(portable(LABEL_PATTERN), text)


def test_white_space_controls_and_formats_are_blank_and_nothing_else():
    seen = {character for character in every_character() if not is_blank(character)}
    for character in every_character():
        kind = category(character)
        if character.isspace() or kind in {"Cc", "Zs", "Zl", "Zp"}:
            assert character not in seen
        elif kind == "Cf":
            assert (character in seen) == (ord(character) in DRAWN_FORMATS), hex(ord(character))
        elif kind in {"Lu", "Ll", "Nd", "Po", "Sm", "Sc"}:
            assert character in seen


def _seconds(work: Callable[[str], object], text: str) -> float:
    def once() -> float:
        started = time.thread_time()
        work(text)
        return time.thread_time() - started

    return min(once() for _ in range(3))


@pytest.mark.parametrize(
    "work",
    [partial(re.search, LABEL_PATTERN), partial(re.search, NOT_BLANK_PATTERN), escape_invisible],
)
@pytest.mark.parametrize("unit", [" ", "a", "\u200b", "a ", "\u200b ", "☂\ufe0f", "\r"])
@pytest.mark.parametrize("end", few(["\x00", "", "\n"]))
def test_rules_take_time_in_proportion_to_the_text(
    work: Callable[[str], object], unit: str, end: str
):
    short, long = unit * (8_000 // len(unit)), unit * (64_000 // len(unit))
    # Eight times the text: 64 times as long where time grows with the square.
    assert _seconds(work, long + end) < 24 * _seconds(work, short + end) + 0.005


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("python", "python"),
        ("  Python\t", "python"),
        ("Machine Learning", "machine learning"),
        ("\u3000ÄRGER\u00a0", "ärger"),
        ("C++", "c++"),
        ("\u0130", "i\u0307"),
    ],
)
def test_a_tag_is_trimmed_and_lower_case(sent: str, kept: str):
    assert normalise_tag(sent) == kept


@pytest.mark.parametrize(
    ("sent", "advice"),
    [
        ("", "Must not be blank"),
        (" \t", "Must not be blank"),
        ("\u200b", "Must not be blank"),
        ("a,b", "Must not contain a comma"),
        (",", "Must not contain a comma"),
        ("a\x07b", r"U\+0007"),
        ("a\nb", r"U\+000A"),
        ("a\u202eb", r"U\+202E"),
        ("a\U000e0041", r"U\+E0041"),
    ],
)
def test_what_cannot_be_a_tag_is_refused_with_advice(sent: str, advice: str):
    with pytest.raises(ValueError, match=advice):
        normalise_tag(sent)


@given(TEXT)
def test_a_normalised_tag_normalises_to_itself(text: str):
    try:
        tag = normalise_tag(text)
    except ValueError:
        return
    assert normalise_tag(tag) == tag


def test_tags_are_kept_once_in_the_order_sent():
    assert normalise_tags(["SQLite", " wal ", "sqlite", "WAL", "go"]) == ["sqlite", "wal", "go"]


def test_tags_are_counted_after_duplicates_are_gone():
    names = [f"tag{number}" for number in range(TAGS)]
    assert normalise_tags(names + [name.upper() for name in names]) == names


def test_a_tag_is_measured_in_code_points_after_trimming():
    assert normalise_tags(["  " + "😀" * TAG_CHARS]) == ["😀" * TAG_CHARS]


def test_every_problem_of_a_list_of_tags_is_named_with_its_place():
    long = "x" * (TAG_CHARS + 1)
    with pytest.raises(Problems) as refused:
        normalise_tags(["ok", long, "", *"abcdefg", "a,b", long])
    assert refused.value.problems == [
        (1, "Must have at most 40 characters: shorten it."),
        (2, "Must not be blank: write at least one character that can be seen."),
        (10, "Must not contain a comma: send each tag as an item of its own."),
        (None, "Must have at most 8 different tags, not 9: leave some out."),
    ]


def test_a_display_name_is_trimmed_before_it_is_measured():
    assert display_name("\n " + "n" * 80 + " ") == "n" * 80


@pytest.mark.parametrize(
    ("sent", "advice"),
    [("  ", "blank"), ("n" * 81, "at most 80"), ("a\u2066b", r"U\+2066"), ("a\nb", r"U\+000A")],
)
def test_a_display_name_that_cannot_be_read_is_refused(sent: str, advice: str):
    with pytest.raises(ValueError, match=advice):
        display_name(sent)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext\r\n", "plain\n\ttext\r\n"),
        ("abc\u202edef", "abc<U+202E>def"),
        ("bell\x07 del\x7f c1\x85", "bell<U+0007> del<U+007F> c1<U+0085>"),
        ("lone\rreturn\r", "lone<U+000D>return<U+000D>"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("tags\U000e0041\U000e007f", "tags<U+E0041><U+E007F>"),
        ("line\u2028end", "line<U+2028>end"),
        ("left\u200eright\u200f", "left<U+200E>right<U+200F>"),
        ("a\ufe0fb\U000e0100", "a<U+FE0F>b<U+E0100>"),
        ("☂\ufe0f\ufe0f", "☂\ufe0f<U+FE0F>"),
        ("葛\U000e0100\U000e0101", "葛\U000e0100<U+E0101>"),
        ("a\u200db", "a<U+200D>b"),
        ("👩\u200db", "👩<U+200D>b"),
        ("1\ufe0f2", "1<U+FE0F>2"),
        ("\u200d\ufe0f", "<U+200D><U+FE0F>"),
        ("\ud800", "<U+D800>"),
        ("\U0001fffe\U0010ffff", "<U+1FFFE><U+10FFFF>"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_an_escape(text: str, shown: str):
    assert escape_invisible(text) == shown


@pytest.mark.parametrize(
    "text", ["👩‍💻", "❤️‍🔥", "🏳️‍🌈", "👨🏽‍🚀", "1️⃣", "‼️", "می‌خواهم", "क्‍ष", "葛󠄀", "é—…“”"]
)
def test_joiners_and_variants_that_writing_needs_stay(text: str):
    assert escape_invisible(text) == text


@cache
def hidden() -> list[str]:
    return [sign for sign in every_character() if escape_invisible(sign) != sign]


@pytest.mark.parametrize(
    ("before", "stay"),
    [
        ("葛", [*range(0xFE00, 0xFE03), *range(0xE0100, 0xE01F0)]),
        ("☂", [0xFE0E, 0xFE0F]),
        ("م", [0x200C, 0x200D]),
        ("a", []),
    ],
)
def test_exactly_the_signs_that_writing_needs_stay_after(before: str, stay: list[int]):
    kept = [ord(sign) for sign in hidden() if escape_invisible(before + sign) == before + sign]
    assert kept == stay


@given(TEXT)
def test_escaped_text_reads_the_same_when_escaped_again(text: str):
    shown = escape_invisible(text)
    assert escape_invisible(shown) == shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\u200b]", shown)
