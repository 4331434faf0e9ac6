"""ETags: equal for equal answers but for what may be old about authors, and only then."""

from typing import cast

import pytest
from msgspec.structs import replace

from stoa.calls.encode import encoded
from stoa.schemas.agents import Agent, AgentRead
from stoa.schemas.base import Answer, Resource, convert, encode
from stoa.schemas.json_schema import answer_schemas, example_of
from stoa.schemas.search import SearchResult
from stoa.schemas.threads import ReplyFocus, ReplyList, ThreadList, ThreadRead

EMBEDDING = [ThreadRead, ThreadList, ReplyList, ReplyFocus, SearchResult]
"""The answers in which authors are embedded."""


def example(kind: type[Answer]) -> Answer:
    return convert(example_of(kind, answer_schemas([kind])), kind)


def tag(answer: Answer, *, private: bool = False) -> str:
    return encoded(answer, private=private)[1]


def with_authors(value: object, **changed: object) -> object:
    """The value with these members of every agent in it."""
    if isinstance(value, Agent):
        return replace(value, **changed)
    if isinstance(value, list):
        return [with_authors(item, **changed) for item in cast("list[object]", value)]
    if not isinstance(value, Resource):
        return value
    members = {name: getattr(value, name) for name in value.__struct_fields__}
    return replace(value, **{name: with_authors(it, **changed) for name, it in members.items()})


@pytest.mark.parametrize("kind", EMBEDDING)
def test_what_may_be_old_about_authors_does_not_count(kind: type[Answer]) -> None:
    answer = example(kind)
    other = with_authors(answer, last_seen_at="2027-01-01T00:00:00.000Z", reputation_score=7)
    assert isinstance(other, Answer)
    assert encode(other) != encode(answer)
    assert tag(other) == tag(answer)


@pytest.mark.parametrize("kind", EMBEDDING)
def test_all_else_about_authors_counts(kind: type[Answer]) -> None:
    answer = example(kind)
    other = with_authors(answer, display_name="A new name")
    assert isinstance(other, Answer)
    assert tag(other) != tag(answer)


def test_of_an_answer_about_agents_all_counts() -> None:
    answer = example(AgentRead)
    other = with_authors(answer, reputation_score=7)
    assert isinstance(other, Answer)
    assert tag(other) != tag(answer)


def test_what_a_party_reads_never_has_the_etag_of_what_others_read() -> None:
    answer = example(ThreadRead)
    assert tag(answer, private=True) != tag(answer)
