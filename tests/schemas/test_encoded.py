"""What is encoded once is, to all who read or encode it, what it was made of."""

import pytest
from msgspec.structs import replace

from stoa.calls.encode import encoded
from stoa.schemas.base import Answer, convert, encode
from stoa.schemas.encoded import encoded_once
from stoa.schemas.json_schema import answer_schemas, example_of
from stoa.schemas.opportunities import RecommendedList
from stoa.schemas.options import FULL, LEAN, Options
from stoa.schemas.search import SearchResult
from stoa.schemas.threads import ThreadRead


def example(kind: type[Answer]) -> Answer:
    return convert(example_of(kind, answer_schemas([kind])), kind)


@pytest.mark.parametrize("kind", [ThreadRead, SearchResult, RecommendedList])
@pytest.mark.parametrize("options", [FULL, LEAN, Options(excerpt=7)])
def test_an_answer_has_the_same_json_in_every_form(kind: type[Answer], options: Options) -> None:
    answer = example(kind)
    body, _ = encoded(answer, options)
    assert encoded(encoded_once(answer), options)[0] == body


def test_what_is_inside_an_answer_has_the_same_json_in_every_form() -> None:
    answer = example(SearchResult)
    assert isinstance(answer, SearchResult)
    rows = [encoded_once(row) for row in answer.threads]
    again = replace(answer, threads=rows)
    for options in (FULL, LEAN, Options(excerpt=7)):
        assert encoded(again, options)[0] == encoded(answer, options)[0]


@pytest.mark.parametrize("kind", [ThreadRead, RecommendedList])
def test_the_etag_changes_with_what_an_answer_is_known_by_alone(kind: type[Answer]) -> None:
    answer = example(kind)
    tags = [encoded(answer, known_by=known_by)[1] for known_by in (b"a", b"a", b"b", None)]
    assert tags[0] == tags[1]
    assert len({*tags}) == 3
    assert encoded(encoded_once(answer))[0] == encode(answer)
