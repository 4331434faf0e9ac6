"""The published schemas mean the same to validators in Python and JavaScript, and to Go's RE2."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
import re2
from jsonschema import Draft202012Validator

from stoa.mcp.tools import listing
from stoa.operations.catalog import all_operations
from tests.support import node
from tests.support.amounts import GOOD, NOT_NUMBERS, NOTHING, OUT_OF_BOUNDS, TOO_FINE
from tests.support.description import document

SCRIPT = Path(__file__).parent / "javascript/validate.mjs"
OPERATIONS = all_operations()


class Field(NamedTuple):
    """An amount among the fields of an operation, and JSON around it that is right."""

    operation: str
    around: str
    may_be_nothing: bool


_THREAD = '{"title":"t","body":"b","authorization":"x",%s}'
_JOB = '{"title":"t","description":"d","authorization":"x",%s}'
FIELDS = {
    "bountyCredits": Field("create_thread", _THREAD % '"bountyCredits":%s', may_be_nothing=True),
    "bounty.credits": Field(
        "create_thread", _THREAD % '"bounty":{"credits":%s}', may_be_nothing=True
    ),
    "rewardCredits": Field("create_job", _JOB % '"rewardCredits":%s', may_be_nothing=False),
    "reward.amount": Field("create_job", _JOB % '"reward":{"amount":%s}', may_be_nothing=False),
}
FACES = ("openapi", "mcp")
NUMBERS = [text for text in NOTHING if text != "null"]
READ_AS_NOTHING = {"-1e-400"}
"""Refused by the server, but not to be told from 0 where numbers are binary floats."""


@cache
def tools() -> list[Any]:
    """The tools as a client reads them."""
    return json.loads(listing(tuple(OPERATIONS)))


def schema(face: str, operation: str) -> Any:
    """The schema of an operation's input."""
    if face == "mcp":
        return next(tool["inputSchema"] for tool in tools() if tool["name"] == operation)
    name = "".join(map(str.capitalize, operation.split("_")))
    return {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}


def taken(field: Field) -> list[str]:
    """The amounts that the server takes, and some with more decimals than it takes."""
    return [*GOOD, "1.005", *(NUMBERS if field.may_be_nothing else [])]


def refused(field: Field) -> list[str]:
    """The amounts that the server refuses for their size or type."""
    texts = [*OUT_OF_BOUNDS, *NOT_NUMBERS, *([] if field.may_be_nothing else NUMBERS)]
    return [text for text in texts if text not in READ_AS_NOTHING]


def patterns(value: Any) -> Iterator[str]:
    """Every pattern in a description."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if isinstance(members.get("pattern"), str):
            yield members["pattern"]
        value = list(members.values())
    if isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from patterns(inner)


@cache
def all_patterns() -> list[str]:
    """Every pattern that is published. It takes a second, so not every process does it that looks
    for tests."""
    return sorted({*patterns(document()), *patterns(tools())})


@pytest.fixture(scope="session")
def in_javascript(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What Ajv says of every amount, and whether each pattern compiles."""
    fields = {f"{face} {name}": field for face in FACES for name, field in FIELDS.items()}
    asked = {
        "schemas": {
            key: schema(key.partition(" ")[0], field.operation) for key, field in fields.items()
        },
        "values": {
            key: [field.around % text for text in [*taken(field), *refused(field)]]
            for key, field in fields.items()
        },
        "patterns": all_patterns(),
    }
    file = tmp_path_factory.mktemp("ajv") / "asked.json"
    file.write_text(json.dumps(asked), "utf-8")
    done = node.run(SCRIPT, node.module("ajv").parent, file)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("face", FACES)
def test_python_validates_the_amounts_that_the_server_takes(face: str, name: str) -> None:
    field = FIELDS[name]
    validator = Draft202012Validator(schema(face, field.operation))
    texts = [*taken(field), *refused(field)]
    valid = [text for text in texts if validator.is_valid(json.loads(field.around % text))]  # pyright: ignore[reportUnknownMemberType]
    assert valid == taken(field)


@pytest.mark.promise("W13")
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("face", FACES)
def test_javascript_validates_the_amounts_that_the_server_takes(
    face: str, name: str, in_javascript: Any
) -> None:
    field = FIELDS[name]
    texts = [*taken(field), *refused(field)]
    answers = in_javascript["valid"][f"{face} {name}"]
    valid = [text for text, is_valid in zip(texts, answers, strict=True) if is_valid]
    assert valid == taken(field)


def test_an_amount_says_in_words_that_it_has_two_decimals() -> None:
    assert "1.005" in TOO_FINE
    thread = schema("mcp", "create_thread")["properties"]
    job = schema("mcp", "create_job")["properties"]
    amounts = [
        thread["bountyCredits"],
        thread["bounty"]["properties"]["credits"],
        job["rewardCredits"],
        job["reward"]["properties"]["amount"],
    ]
    assert all("two decimals" in amount["description"] for amount in amounts)
    assert "multipleOf" not in json.dumps([document(), tools()])


def test_every_pattern_compiles_in_javascript_with_and_without_the_u_flag(
    in_javascript: Any,
) -> None:
    compiled = zip(all_patterns(), in_javascript["compiled"], strict=True)
    assert [pattern for pattern, compiles in compiled if not compiles] == []
    assert all_patterns()


def test_every_pattern_compiles_in_python_and_in_re2() -> None:
    for pattern in all_patterns():
        assert re.compile(pattern), pattern
        assert re2.compile(pattern), pattern
