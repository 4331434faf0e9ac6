"""Raw values become a typed request, or a refusal that names what is wrong: never anything else."""

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from stoa.domain.errors import Refusal
from stoa.domain.text import Problems
from stoa.schemas.base import Page, Request, Rule
from stoa.schemas.validation import ISSUES_MAX, Shape, fields, names, parse, shapes
from tests.support.schemas import requests

KINDS = requests()

TEXTS = st.text(max_size=50) | st.sampled_from(
    ["", " ", "a,b", "x" * 400, "\x00", "\u202e", "th_", "0" * 64, "0" * 128, "1", "-1", "recent"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3)
)


@st.composite
def inputs(draw: st.DrawFn) -> tuple[type[Request], dict[str, Any]]:
    """A kind of request, and an object with some names that it knows and some that it does not."""
    kind = draw(st.sampled_from(KINDS))
    some = st.sampled_from([*fields(kind), "title", "limitt", "thread_id", "", "x.y"]) | TEXTS
    return kind, draw(st.dictionaries(some, VALUES, max_size=5))


def outcome(kind: type[Request], values: dict[str, Any]) -> Refusal | tuple[Request, set[str]]:
    """The refusal, or the request and the paths of what was ignored."""
    try:
        request, warnings = parse(kind, dict(values), lambda name: f"here.{name}", lambda: (0, 9))
    except Refusal as refusal:
        return refusal
    return request, {warning.path for warning in warnings}


@given(inputs())
def test_any_values_are_a_request_or_a_refusal_with_issues(
    given_input: tuple[type[Request], dict[str, Any]],
) -> None:
    kind, values = given_input
    unknown = [name for name in values if name not in fields(kind)]
    near = {f"here.{name}" for name in unknown if names(kind).meant(name)}
    result = outcome(kind, values)
    if isinstance(result, Refusal):
        asked = {issue.path for issue in result.issues if issue.message.startswith("Did you mean")}
        assert near == {path for path in asked if path[5:] in unknown}
        assert result.code == "invalid_request"
        assert result.issues
        assert all(issue.path.startswith("here.") for issue in result.issues)
        assert all(issue.message for issue in result.issues)
    else:
        assert isinstance(result[0], kind)
        assert not near
        assert result[1] == {
            f"here.{name if len(name) <= 80 else name[:80] + '…'}" for name in unknown
        }


def test_a_cursor_is_told_of_beside_a_sort_that_is_no_text() -> None:
    for kind in KINDS:
        if issubclass(kind, Page):
            result = outcome(kind, {"q": "sqlite", "sort": ["recent"], "cursor": "none"})
            assert isinstance(result, Refusal), kind
            assert "here.cursor" in {issue.path for issue in result.issues}, kind


def _even(number: int) -> int:
    if number % 2:
        raise ValueError("Must be even, such as 2.")
    return number * 10


def _all_even(numbers: list[int]) -> list[int]:
    odd = [(place, "is odd") for place, number in enumerate(numbers) if number % 2]
    if odd:
        raise Problems(odd)
    return numbers


class Sample(Request, kw_only=True):
    """A request with a field of each sort."""

    name: Annotated[str, Meta(min_length=2, max_length=5)]
    count: Annotated[int, Meta(ge=1, le=9)] = 3
    labels: Annotated[list[Annotated[str, Meta(max_length=3)]], Meta(max_length=2)] = []  # noqa: RUF012 - msgspec copies it
    maybe: Annotated[list[int], Meta(max_length=2)] | None = None
    even: Annotated[int, Rule(_even)] = 2
    several: Annotated[list[int], Rule(_all_even)] = []  # noqa: RUF012 - msgspec copies it

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The name and the count exclude each other when they say so."""
        return [("count", "Not with that name.")] if values.get("name") == "alone" else []


def issues(values: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(Refusal) as caught:
        parse(Sample, values)
    return {issue.path: issue.message for issue in caught.value.issues}


def test_rules_may_change_what_they_are_given() -> None:
    request, _ = parse(Sample, {"name": "ab", "even": 4})
    assert (request.even, request.count) == (40, 3)


def test_every_sort_of_mistake_is_named_at_its_place() -> None:
    found = issues(
        {"count": 0, "labels": ["abcd", 7], "maybe": ["x"], "even": 3, "several": [2, 3, 5]}
    )
    assert set(found) == {
        "name",
        "count",
        "labels.0",
        "labels.1",
        "maybe.0",
        "even",
        "several.1",
        "several.2",
    }
    assert found["name"] == 'This field is required: text, such as "report".'
    assert found["labels.1"] == "Must be text, not a number."


def test_rules_and_conflicts_are_told_together() -> None:
    assert set(issues({"name": "alone", "even": 1})) == {"count", "even"}


def test_a_rule_is_not_asked_about_what_is_not_even_of_its_type() -> None:
    assert issues({"name": "ab", "even": "three"}) == {"even": "Must be a whole number, not text."}


def test_a_nullable_field_is_told_of_by_what_it_could_be() -> None:
    assert set(issues({"name": "ab", "maybe": "x"})) == {"maybe"}
    assert "list" in issues({"name": "ab", "maybe": "x"})["maybe"]


def test_a_hundred_problems_and_warnings_are_named_and_how_many_more_there_are() -> None:
    given = {"name": "ab", "labels": ["abcd"] * 300}
    assert issues(given)["labels"] == "Must have at most 2 items, not 300."
    odd = {"name": "ab", "several": [1] * (ISSUES_MAX + 7)}
    assert len(issues(odd)) == ISSUES_MAX + 1
    assert "7 more" in issues(odd)[""]
    for count, more in ((999, "899"), (1000, "many"), (5000, "many")):
        many = {"name": "ab", "several": [1] * count}
        assert len(issues(many)) == ISSUES_MAX + 1
        assert f"in {more} more places" in issues(many)[""]
    _, warnings = parse(Sample, {"name": "ab"} | {f"x{n}": 1 for n in range(5000)})
    assert len(warnings) == ISSUES_MAX + 1
    assert (warnings[-1].path, warnings[-1].message.split()[0]) == ("", "4,900")
    _, warnings = parse(Sample, {"name": "ab"} | {f"x{n}": 1 for n in range(ISSUES_MAX)})
    assert len(warnings) == ISSUES_MAX


@pytest.mark.parametrize("count", [3, 101, 120, 5000])
def test_a_list_is_refused_for_its_length_whatever_its_length_is(count: int) -> None:
    told = f"Must have at most 2 items, not {count}."
    assert issues({"name": "ab", "labels": ["a"] * count}) == {"labels": told}
    assert issues({"name": "ab", "maybe": [1] * count}) == {"maybe": told}


def test_of_a_list_that_is_too_long_nothing_else_is_told() -> None:
    assert set(issues({"name": "ab", "labels": ["a", 7, 7]})) == {"labels"}
    assert set(issues({"name": "ab", "labels": ["a", 7]})) == {"labels.1"}


@pytest.mark.parametrize(
    ("shape", "text", "value"),
    [
        (Shape.TEXT, "5", "5"),
        (Shape.NUMBER, "5", 5),
        (Shape.NUMBER, "007", 7),
        (Shape.NUMBER, "0" * 30 + "5", 5),
        (Shape.NUMBER, "-" + "0" * 30 + "5", -5),
        (Shape.NUMBER, "-5", -5),
        (Shape.NUMBER, "-0", "-0"),
        (Shape.NUMBER, "5.0", "5.0"),
        (Shape.NUMBER, " 5", " 5"),
        (Shape.NUMBER, "٥", "٥"),
        (Shape.NUMBER, "1_0", "1_0"),
        (Shape.NUMBER, "", ""),
        (Shape.LABELS, "a,b", ["a", "b"]),
        (Shape.LABELS, "a", ["a"]),
        (Shape.LABELS, ",", ["", ""]),
        (Shape.LABELS, "", ""),
        (Shape.LABELS, "[a,b]", ["[a", "b]"]),
        (Shape.LABELS, '["a","b"]', '["a","b"]'),
        (Shape.TEXTS, "a, b", ["a, b"]),
        (Shape.TEXTS, "[a] b", ["[a] b"]),
        (Shape.TEXTS, "", ""),
        (Shape.TEXTS, '["a","b"]', '["a","b"]'),
        (Shape.TEXTS, '["a","b"', '["a","b"'),
        (Shape.TEXTS, "[]", "[]"),
        (Shape.LIST, "a,b", "a,b"),
    ],
)
def test_text_is_read_in_the_shape_of_its_field(shape: Shape, text: str, value: object) -> None:
    assert shape.read(text) == value


def test_a_number_of_any_length_is_read_as_a_number() -> None:
    value = Shape.NUMBER.read("9" * 100_000)
    assert isinstance(value, int)
    assert 10**15 < value < 2**63


def test_the_shapes_of_a_request_are_those_of_its_fields() -> None:
    assert shapes(Page) == {"limit": Shape.NUMBER, "offset": Shape.NUMBER, "cursor": Shape.TEXT}
    assert shapes(Sample)["labels"] is Shape.TEXTS


def test_every_field_of_a_request_is_named_in_camel_case() -> None:
    for kind in KINDS:
        for name in fields(kind):
            assert name.isalnum()
            assert name[0].islower()
