"""What a caller may have meant by a name, and what that costs for hostile ones."""

import sys
from collections import Counter
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoa.calls.dry_runs import IN_QUERY
from stoa.calls.idempotency import HEADER
from stoa.domain.errors import Refusal
from stoa.mcp.tools import AUTHORIZATION
from stoa.operations.catalog import all_operations
from stoa.schemas.names import ALIASES, NAME_CHARS_MAX, Names, distance
from stoa.schemas.threads import CreateThread
from stoa.schemas.validation import ISSUES_MAX, Values, fields, parse
from tests.support.schemas import objects

SHORT = st.text("abcd", max_size=7)
FIELDS = sorted({name for kind in objects() for name in fields(kind)})
THREAD = Names(fields(CreateThread))


def oracle(one: str, other: str) -> int:
    """The distance by its definition."""
    if not one or not other:
        return len(one) + len(other)
    found = min(
        oracle(one[:-1], other) + 1,
        oracle(one, other[:-1]) + 1,
        oracle(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    )
    if len(one) > 1 and len(other) > 1 and one[-2:] == other[-1] + other[-2]:
        found = min(found, oracle(one[:-2], other[:-2]) + 1)
    return found


@given(SHORT, SHORT, st.integers(0, 3))
def test_the_distance_is_exact_up_to_the_most_that_is_asked_for(
    one: str, other: str, most: int
) -> None:
    exact = oracle(one[:5], other[:5])
    found = distance(one[:5], other[:5], most)
    assert found == exact or min(found, exact) > most


def test_a_field_in_another_spelling_is_known() -> None:
    for name in FIELDS:
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
        for spelled in (snake, snake.replace("_", "-"), name.upper(), f" {name}", f"{name}[]"):
            assert Names(["other", name]).meant(spelled) == (name,), spelled


@given(st.sampled_from([name for name in FIELDS if len(name) >= 7]), st.data())
@settings(max_examples=200)
def test_a_field_with_two_slips_is_known(name: str, data: st.DataObject) -> None:
    for _ in range(2):
        place = data.draw(st.integers(0, len(name) - 1))
        letter = data.draw(st.sampled_from("aeiou"))
        end = data.draw(st.sampled_from([place, place + 1]))
        name = name[:place] + data.draw(st.sampled_from([letter, ""])) + name[end:]
    wanted = [field for field in FIELDS if len(field) >= 7 and distance(name.lower(), field, 2) < 3]
    for field in wanted:
        assert Names([field]).meant(name) == (field,)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("titel", "title"),
        ("boddy", "body"),
        ("tgas", "tags"),
        ("tag", "tags"),
        ("bounty_credits", "bountyCredits"),
        ("bounty.credits", "bountyCredits"),
        ("bountyCredit", "bountyCredits"),
        ("text", "body"),
        ("content", "body"),
        ("Content", "body"),
        ("reward", "bounty"),
        ("t\u0456tle", "title"),
    ],
)
def test_near_names_of_a_thread_are_known(name: str, meant: str) -> None:
    assert THREAD.meant(name) == (meant,)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "_",
        "x",
        "bo",
        "foo",
        "bar",
        "note",
        "zzz",
        "priority",
        "x.y",
        "query.title",
        "名字",
        "🏺",
    ],
)
def test_other_names_are_none_of_ours(name: str) -> None:
    assert THREAD.meant(name) == ()


def test_an_alias_of_several_fields_may_mean_each() -> None:
    assert Names(["threadId", "replyId"]).meant("id") == ("threadId", "replyId")
    assert Names(["reasonCode", "message"]).meant("reason") == ("reasonCode", "message")


def test_a_field_keeps_a_name_that_is_an_alias_elsewhere() -> None:
    assert Names(["message", "body"]).meant("MESSAGE") == ("message",)


def test_what_others_call_an_option_of_a_read_is_known() -> None:
    names = Names(["cursor", "wait", "include", "q"])
    others = {"timeout_seconds": "wait", "after": "cursor", "includeReplies": "include"}
    for other, meant in {**others, "topic": "q"}.items():
        assert names.meant(other, measured=False) == (meant,)


def test_aliases_belong_to_fields_and_none_is_written_twice() -> None:
    assert set(ALIASES) <= {*FIELDS, AUTHORIZATION, IN_QUERY, HEADER}
    for name, aliases in ALIASES.items():
        assert name not in aliases
        assert len(set(aliases)) == len(aliases)
        assert all(len(alias) <= NAME_CHARS_MAX for alias in aliases)


def test_no_field_is_too_long_to_be_compared() -> None:
    assert max(map(len, FIELDS)) + 10 < NAME_CHARS_MAX


# --- Hostile names.


def calls(values: Values) -> Counter[str]:
    """How often each function of Python is called to look at this input."""
    counts = Counter[str]()

    def profile(frame: FrameType, event: str, _: object) -> None:
        counts[frame.f_code.co_name] += event == "call"

    sys.setprofile(profile)
    try:
        parse(CreateThread, values)
    except Refusal:
        pass
    finally:
        sys.setprofile(None)
    return counts


HOSTILE = {
    "junk": "x{}",
    "near in length": "bountyCred{}",
    "long": "title" * 10_000 + "{}",
    "as long as is compared": "a" * 30 + "{}",
    "near": "ti{}_tle",
}


@pytest.mark.parametrize("form", HOSTILE.values(), ids=HOSTILE)
def test_the_work_grows_no_faster_than_the_names(form: str) -> None:
    some, more = ({form.format(number): 1 for number in range(n)} for n in (200, 400))
    calls(dict(some))  # fills the caches
    assert calls(more).total() <= 2 * calls(some).total() + 100


def test_no_more_than_a_hundred_names_are_compared_letter_by_letter() -> None:
    few, many = ({f"bountyCrxy{n}": 1 for n in range(count)} for count in (ISSUES_MAX // 2, 5000))
    assert 0 < calls(few)["distance"] <= len(few) * len(fields(CreateThread))
    assert calls(many)["distance"] <= ISSUES_MAX * len(fields(CreateThread))


def test_the_hundred_and_first_name_is_still_known_in_another_spelling() -> None:
    junk = {f"x{number}": 1 for number in range(ISSUES_MAX * 3)}
    with pytest.raises(Refusal) as refused:
        parse(CreateThread, {"title": "t", "body": "b", **junk, "bounty_credits": 5})
    assert [issue.path for issue in refused.value.issues] == ["bounty_credits"]


def test_names_nearly_known_are_told_a_hundred_times_at_most() -> None:
    names = {"title": "t", "body": "b"} | {f"t{'_' * number}itle": 1 for number in range(1, 30)}
    artifacts = [{f"u{'_' * number}rl": 1 for number in range(1, 30)} for _ in range(20)]
    many = {"artifacts": artifacts}
    submit = next(operation for operation in all_operations() if operation.tool == "submit_job")
    for kind, values, most in ((CreateThread, names, 29), (submit.request, many, ISSUES_MAX + 1)):
        with pytest.raises(Refusal) as refused:
            parse(kind, values)
        assert len(refused.value.issues) == most
