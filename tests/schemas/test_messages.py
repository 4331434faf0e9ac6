"""Every message about a value that is wrong, of every field of every operation, has one style."""

from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from typing import Any, NamedTuple, cast

import msgspec
import pytest

from stoa.domain.errors import InputIssue, Refusal
from stoa.schemas import messages
from stoa.schemas.agents import EXAMPLE_PUBLIC_KEY
from stoa.schemas.applications import ApplyToJob
from stoa.schemas.auth import CreateChallenge
from stoa.schemas.base import Request, json_schema
from stoa.schemas.events import EXAMPLE_CURSOR, ListEvents
from stoa.schemas.fields import example_id
from stoa.schemas.jobs import (
    CreateJob,
    ExtendDeadline,
    ListJobs,
    ListSubmissions,
    RejectJob,
    SubmitJob,
)
from stoa.schemas.messages import EXAMPLES, MADE, PATTERNS
from stoa.schemas.moderation import ModerateMany
from stoa.schemas.names import ALIASES
from stoa.schemas.threads import CreateThread, ListThreads
from stoa.schemas.validation import ISSUES_MAX, Values, fields, parse
from stoa.schemas.webhooks import CreateWebhook
from tests.support.schemas import objects, requests
from tests.support.sentences import problems

MADE_RIGHT = {
    "newPublicKey": EXAMPLE_PUBLIC_KEY,
    "newSignature": "0" * 128,
    "publicKey": EXAMPLE_PUBLIC_KEY,
    "recoveryPublicKey": EXAMPLE_PUBLIC_KEY,
    "signature": "0" * 128,
    "challenge": "x",
    "cursor": EXAMPLE_CURSOR,
    "type": "thread",
}
ENUMERATED = {"scope", "sort", "status", "to", "whose"}

WRONG: list[Any] = [
    None, True, 0, -1, 7, 10**20, Decimal("1.5"), Decimal("1.555"), Decimal("1e400"),
    "", " ", "\n", "\u202e", "a,b", "-only", "a\nb", "x" * 50_001, "word " * 33, '["a"]', "0" * 63,
    [], [None], [5], [[]], [{}], [""], [" ", "\u202e", ",", "x" * 501], ["a"] * 101,
    [str(number) for number in range(40)], {}, {"x": 1}, {"x": None},
]  # fmt: skip


class Place(NamedTuple):
    """A field of a request: where the object that has it stands, and its name."""

    kind: type[Request]
    outer: tuple[str, ...]
    name: str


def places() -> Iterator[Place]:
    for kind in requests():
        yield from _inside(kind, (), kind)


def _inside(
    kind: type[Request], outer: tuple[str, ...], held: type[msgspec.Struct]
) -> Iterator[Place]:
    for name, field in fields(held).items():
        yield Place(kind, outer, name)
        if field.holds:
            yield from _inside(kind, (*outer, name), field.holds)


def right(kind: type[msgspec.Struct]) -> Values:
    """An object with what it must have."""
    values = {
        name: deepcopy(MADE_RIGHT.get(name) or EXAMPLES[name])
        for name, field in fields(kind).items()
        if field.required
    }
    if kind is ExtendDeadline:
        values["deadlineHours"] = 96
    return {**values, "rewardCredits": 40} if kind is CreateJob else values


def around(place: Place) -> tuple[Values, Values]:
    """A right request, and the object in it that has the field."""
    values = inner = right(place.kind)
    kind: type[msgspec.Struct] = place.kind
    for name in place.outer:
        held = fields(kind)[name].holds
        assert held
        around_it, inner, kind = inner, right(held), held
        around_it[name] = [inner] if isinstance(EXAMPLES[name], list) else inner
    if place.outer == ("reward",):
        del values["rewardCredits"]
    return values, inner


def issues(kind: type[Request], values: Values) -> tuple[InputIssue, ...]:
    try:
        parse(kind, values, span=lambda: (0, 3_600_000))
    except Refusal as refusal:
        return refusal.issues
    return ()


def wrong_inputs(place: Place) -> Iterator[Values]:
    """Requests that are wrong in one field, some of which may be right."""
    for value in WRONG:
        values, inner = around(place)
        inner[place.name] = deepcopy(value)
        yield values
    values, inner = around(place)
    inner.pop(place.name, None)
    yield values
    for twin in (place.name.upper(), f"{place.name}_", *ALIASES.get(place.name, ())):
        values, inner = around(place)
        inner[twin] = inner.pop(place.name, 1)
        yield values


@pytest.mark.promise("W25")
def test_every_message_about_a_field_is_in_style() -> None:
    for place in [*places()]:
        told = {
            issue.message for values in wrong_inputs(place) for issue in issues(place.kind, values)
        }
        assert told
        assert {message: found for message in told if (found := problems(message))} == {}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (CreateThread, {"bounty": {"credits": 5}, "bountyCredits": 6}),
        (CreateJob, {"reward": {"amount": 0}, "rewardCredits": 6}),
        (CreateJob, {"deadline": "soon", "deadlineHours": Decimal(200)}),
        (CreateJob, {"deadline": "1970-01-01T00:00:00Z", "title": 5}),
        (CreateJob, {"deadlineHours": 100, "title": 5}),
        (CreateChallenge, {"publicKey": "0" * 64}),
        *(
            (kind, {"cursor": "zzz", "offset": 5})
            for kind in requests()
            if "cursor" in fields(kind)
        ),
    ],
)
def test_every_message_about_several_fields_is_in_style(
    kind: type[Request], values: Values
) -> None:
    found = issues(kind, {**right(kind), **values})
    assert found
    assert [issue for issue in found if problems(issue.message)] == []


def test_every_message_about_the_whole_input_is_in_style() -> None:
    for kind in requests():
        assert problems(messages.whole(kind)) == []


@pytest.mark.parametrize(
    "message",
    [
        "must be text, such as x.",
        "Must be text",
        "Must be text.",
        "Expected a number, such as 5.",
        "Must match ^[a-z]{3}$ such as abc.",
        "Must be of type str, such as 5.",
        "At most 5.",
    ],
)
def test_a_message_of_another_style_is_found(message: str) -> None:
    assert problems(message)


# --- What the messages are made of.


def test_every_field_has_an_example_or_says_where_it_comes_from() -> None:
    for kind in objects():
        assert set(fields(kind)) <= {*EXAMPLES, *MADE, *ENUMERATED}


def test_every_example_is_right() -> None:
    for place in [*places()]:
        values, inner = around(place)
        if place.name in EXAMPLES and place.name not in inner:
            inner[place.name] = deepcopy(EXAMPLES[place.name])
        if place.name in ("points", "until"):
            inner["action"] = {"points": "adjust", "until": "suspend"}[place.name]
            inner["subject"] = {"type": "agent", "id": EXAMPLES["agentId"]}
        if place.name == "reward":
            del values["rewardCredits"]
        if place == (ExtendDeadline, (), "deadline"):
            del values["deadlineHours"]
        if place.name == "reviewHours":
            inner["onSilence"] = "pay"
        if place == (ListSubmissions, (), "artifact"):
            inner["submissionId"] = EXAMPLES["submissionId"]
        parse(place.kind, values)


def test_every_example_and_every_source_is_that_of_a_field() -> None:
    names = {name for kind in objects() for name in fields(kind)}
    assert {*EXAMPLES, *MADE} <= names
    assert EXAMPLES.keys().isdisjoint(MADE)


def patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in cast("dict[str, Any]", schema).items():
            if name == "pattern" and isinstance(value, str):
                yield value
            elif name != "x-shown":
                yield from patterns(value)
    elif isinstance(schema, list):
        for value in cast("list[Any]", schema):
            yield from patterns(value)


def test_every_pattern_has_words() -> None:
    used = {pattern for kind in requests() for pattern in patterns(json_schema(kind))}
    assert used == PATTERNS.keys()


def test_no_list_of_objects_may_be_as_long_as_what_is_read_of_it() -> None:
    schemas = [
        member
        for kind in requests()
        for definition in json_schema(kind)["$defs"].values()
        for member in definition["properties"].values()
        if "$ref" in member.get("items", ())
    ]
    assert schemas
    assert all(member["maxItems"] <= ISSUES_MAX for member in schemas)


# --- Some of them as they are.


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"bounty": 5},
            {"bounty": 'Must be an object, such as {"credits": 25}, not a number.'},
        ),
        (
            {"tags": "a"},
            {"tags": 'Must be a list of texts, such as ["sqlite", "backup"], not text.'},
        ),
        ({"tags": [7]}, {"tags.0": 'Must be text, such as "sqlite", not a number.'}),
        ({"bounty": {}}, {"bounty.credits": "This field is required: a number, such as 25."}),
        ({"asset": "EUR"}, {"asset": "Must be `FORUM_CREDIT`."}),
        ({"title": "x" * 301}, {"title": "Must have at most 300 characters, not 301."}),
        ({"bountyCredits": Decimal("1.555")}, None),
        ({"bounty": {"amount": 5}}, None),
    ],
)
def test_a_message_says_what_is_wanted(values: Values, told: dict[str, str] | None) -> None:
    found = {item.path: item.message for item in issues(CreateThread, right(CreateThread) | values)}
    expected = told or {
        "bountyCredits": "Must have at most two decimals, such as 2.55.",
        "bounty.amount": "Did you mean `credits`? This name is not known here.",
    }
    assert found
    assert all(expected[path] == message for path, message in found.items())


def test_an_example_is_that_of_the_call() -> None:
    job = {"jobId": example_id("job")}
    for kind, given in ((ApplyToJob, job), (RejectJob, {**job, "reasonCode": "other"})):
        (found,) = issues(kind, {**given, "message": 5})
        assert found.message.endswith(f'text, such as "{kind.example["message"]}", not a number.')
    work = {**job, "body": "b", "artifacts": [5]}
    assert '"text": "way,seconds"' in issues(SubmitJob, work)[0].message
    (found,) = issues(CreateWebhook, {"url": "agent.example"})
    assert found.message.endswith(', such as "https://agent.example/stoa".')


def test_an_empty_list_is_told_that_it_needs_an_item() -> None:
    (found,) = issues(ModerateMany, {"actions": []})
    assert found.message.startswith("Must have at least 1 item, such as [{")


def test_a_message_about_a_key_says_once_how_long_it_is() -> None:
    (found,) = issues(CreateChallenge, {"publicKey": "ab"})
    assert found.message == (
        "Must be exactly 64 hex digits, without prefix, blank or line end: those of an Ed25519 "
        "public key."
    )


@pytest.mark.parametrize("kind", [ListThreads, ListJobs, ListEvents])
def test_a_filter_of_one_tag_says_that_it_takes_one(kind: type[Request]) -> None:
    (found,) = issues(kind, {"tag": "sqlite,backup"})
    assert found.message == "Must be one tag, without a comma: ask for one tag at a time."
