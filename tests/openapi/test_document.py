"""The OpenAPI description says what the table, the schemas and the catalogue say, and no more."""

import json
from collections.abc import Iterator
from typing import Any, cast

import msgspec
import pytest
from openapi_spec_validator import validate

from stoa.domain import keys
from stoa.domain.errors import CATALOGUE
from stoa.http.answering import CHALLENGES
from stoa.http.error_reference import codes, example_body
from stoa.openapi.document import openapi_document
from stoa.openapi.errors import error_schemas, schema_name
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Charged
from stoa.schemas.errors import OWN_MEMBERS, ErrorBody, Problem
from stoa.schemas.json_schema import answer_schemas
from stoa.schemas.validation import parse
from stoa.settings import Settings
from tests.support.app import App
from tests.support.description import described, document, resolved, validator

OPERATIONS = all_operations()
CODES = [code for code in CATALOGUE if any(code in codes(one) for one in OPERATIONS)]


def problems(schema: Any, value: Any) -> list[str]:
    """What is wrong with a value by a schema of the description."""
    return [error.message for error in validator(schema).iter_errors(value)]  # pyright: ignore[reportUnknownMemberType]


def values(node: Any) -> Iterator[Any]:
    """Every value within a JSON value, itself included."""
    yield node
    inner: list[Any] = []
    if isinstance(node, dict):
        inner = list(cast("dict[str, Any]", node).values())
    elif isinstance(node, list):
        inner = cast("list[Any]", node)
    for child in inner:
        yield from values(child)


def objects(node: Any) -> list[dict[str, Any]]:
    """Every object within a JSON value."""
    return [cast("dict[str, Any]", one) for one in values(node) if isinstance(one, dict)]


def patterns() -> list[dict[str, Any]]:
    """Every schema with a pattern that takes more than a glance to read."""
    found = [*objects(document()["paths"]), *objects(document()["components"]["schemas"])]
    return [node for node in found if len(str(node.get("pattern"))) > 60]


def test_the_parts_of_refusals_stand_in_the_order_of_their_table() -> None:
    """In another order each start of a server would have another ETag of the description."""
    own = dict.fromkeys(OWN_MEMBERS.values())
    left_out = {one.__name__ for one in own}
    expected = answer_schemas([ErrorBody, Problem, *own])
    assert list(error_schemas([])) == [name for name in expected if name not in left_out]


@pytest.mark.soak
def test_the_description_is_valid_openapi_of_this_version() -> None:
    validate(document())
    assert document()["openapi"] == "3.1.0"
    assert document()["info"]["version"] == "0.1.0"


def test_the_description_has_the_operations_of_the_table_and_no_others() -> None:
    found = {
        (method.upper(), path, operation["operationId"])
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }
    streams = {
        ("GET", "/api/v1/events/stream", "stream_events"),
        ("GET", "/api/v1/inbox/stream", "stream_inbox"),
    }
    assert found == {(one.method, one.path, one.name) for one in OPERATIONS} | streams


@pytest.mark.parametrize("name", ["events", "inbox"])
def test_a_stream_is_described_beside_its_read(name: str) -> None:
    read = document()["paths"][f"/api/v1/{name}"]["get"]
    stream = document()["paths"][f"/api/v1/{name}/stream"]["get"]
    taken, of_read = ([one["name"] for one in given["parameters"]] for given in (stream, read))
    assert set(of_read) - set(taken) == {"limit", "wait", "If-None-Match"} & set(of_read)
    assert set(taken) - set(of_read) == {"Last-Event-ID"}
    [(media_type, content)] = stream["responses"]["200"]["content"].items()
    assert media_type == "text/event-stream"
    place, data = content["example"].split("\n")[:2]
    assert (place.partition(": ")[0], data.partition(": ")[0]) == ("id", "data")
    component = {"events": "Event", "inbox": "InboxEvent"}[name]
    schema = {"$ref": f"#/components/schemas/{component}"}
    assert not problems(schema, json.loads(data.partition(": ")[2]))
    assert {status for status in read["responses"] if status >= "400"} <= set(stream["responses"])
    assert (stream["security"], stream["x-bucket"]) == (read["security"], read["x-bucket"])
    assert "x-mcp-tool" not in stream


def test_an_operation_says_who_may_call_it_and_what_it_costs() -> None:
    for operation in OPERATIONS:
        found = described(operation)
        needs_token = operation.who.access is Access.AGENT
        any_token: list[Any] = [] if operation.tag in ("auth", "service") else [{}, {"bearer": []}]
        assert found["security"] == ([{"bearer": []}] if needs_token else any_token)
        assert found["x-bucket"] == operation.who.charged
        assert found.get("x-mcp-tool") == operation.tool
        assert found["summary"]
        assert found["tags"] == [operation.tag]
        assert operation.tag in {tag["name"] for tag in document()["tags"] if tag["description"]}


def test_every_field_of_a_request_is_a_parameter_or_a_body_member() -> None:
    for operation in OPERATIONS:
        found = described(operation)
        in_path = [one["name"] for one in found["parameters"] if one["in"] == "path"]
        in_query = [one["name"] for one in found["parameters"] if one["in"] == "query"]
        content = found.get("requestBody", {}).get("content", {}).get("application/json", {})
        in_body = resolved(content.get("schema", {})).get("properties", {})
        fields = [field.encode_name for field in msgspec.structs.fields(operation.request)]
        options = [field.encode_name for field in msgspec.structs.fields(operation.options)]
        own = [*options, *(["dryRun"] if operation.takes_key else [])]
        assert sorted([*in_path, *in_query, *in_body]) == sorted([*fields, *own])
        assert tuple(in_path) == operation.path_fields
        assert operation.method == "GET" or in_query == own


def test_a_write_that_is_repeated_may_tell_that_what_it_shows_was_hidden() -> None:
    for operation in OPERATIONS:
        assert not operation.takes_key or "410" in described(operation)["responses"]


def test_the_example_of_a_request_is_accepted() -> None:
    for operation in OPERATIONS:
        found = described(operation)
        fields = [one for one in found["parameters"] if one["in"] != "header"]
        given = {one["name"]: one["example"] for one in fields if one.get("example") is not None}
        for one in found["parameters"]:
            assert "example" not in one or not problems(one["schema"], one["example"]), one
        if operation.method != "GET":
            content = found["requestBody"]["content"]["application/json"]
            assert not problems(content["schema"], content["example"])
            given |= content["example"]
        _, warnings = parse(operation.request, given)
        assert not warnings


def test_the_example_of_a_success_fits_its_schema() -> None:
    for operation in OPERATIONS:
        content = described(operation)["responses"][str(operation.status)]["content"]
        content = content["application/json"]
        assert not problems(content["schema"], content["example"])
        assert not problems(content["schema"], {**content["example"], "warnings": []})
        assert problems(content["schema"], {})


def test_an_example_says_something_everywhere() -> None:
    """`text` stands where neither a type nor a resource gives an example: give it one."""
    for operation in OPERATIONS:
        found = described(operation)["responses"][str(operation.status)]["content"]
        assert "text" not in list(values(found["application/json"]["example"]))


def test_the_refusals_of_an_operation_are_those_it_may_answer() -> None:
    for operation in OPERATIONS:
        found: set[str] = set()
        for status, response in described(operation)["responses"].items():
            if status >= "400":
                examples = resolved(response)["content"]["application/json"]["examples"]
                assert {CATALOGUE[code].status for code in examples} == {int(status)}
                found |= set(examples)
        assert found == set(codes(operation))


def test_every_answer_has_the_headers_that_are_sent() -> None:
    for operation in OPERATIONS:
        for status, response in described(operation)["responses"].items():
            headers = resolved(response)["headers"]
            assert {"X-Request-Id", "Cache-Control"} <= headers.keys()
            before_charging = status in ("401", "421")
            charged = operation.who.charged is not Charged.NONE and not before_charging
            assert ("X-RateLimit-Resource" in headers) == charged, status
            waits = ("429", "503", "409") if operation.takes_key else ("429", "503")
            assert ("Retry-After" in headers) == (status in waits), status
            examples = resolved(response).get("content", {}).get("application/json", {})
            challenged = CHALLENGES.keys() & examples.get("examples", {}).keys()
            assert ("WWW-Authenticate" in headers) == bool(challenged), status
            assert ("ETag" in headers) == (operation.has_etag and status in ("200", "304")), status


def test_the_example_of_a_header_fits_its_schema() -> None:
    for name, header in document()["components"]["headers"].items():
        assert not problems(header["schema"], header["example"]), name


def test_the_example_of_a_refusal_fits_its_schema_and_no_other() -> None:
    for code in CODES:
        example = document()["components"]["examples"][code]["value"]
        assert example == example_body(code, "http://127.0.0.1:8080")
        for other in CODES:
            schema = {"$ref": f"#/components/schemas/{schema_name(other)}"}
            assert bool(problems(schema, example)) == (other != code)


def test_the_schema_of_a_refusal_asks_for_the_members_of_its_code() -> None:
    for code in CODES:
        schema = document()["components"]["schemas"][schema_name(code)]
        own = {"code", "retryable", *_wire_names(code)}
        assert set(schema["required"]) == own
        assert schema["properties"]["code"] == {"const": code}


def test_every_code_of_the_catalogue_is_named() -> None:
    assert document()["components"]["schemas"]["ErrorBody"]["properties"]["code"]["enum"] == [
        *CATALOGUE
    ]


def test_every_component_is_used() -> None:
    used = {node["$ref"] for node in objects(document()) if isinstance(node.get("$ref"), str)}
    named = {
        f"#/components/{kind}/{name}"
        for kind, found in document()["components"].items()
        for name in found
        if kind != "securitySchemes"
    }
    assert named - used == set()


def test_no_member_of_a_body_has_a_default_that_generators_take_for_required() -> None:
    schemas = document()["components"]["schemas"]
    bodies = [schemas[name] for name in ("CreateJob", "CreateThread", "RewardOffer", "SubmitJob")]
    assert not [node for body in bodies for node in objects(body) if "default" in node]
    assert "`research` unless given" in schemas["CreateJob"]["properties"]["type"]["description"]


def test_every_query_parameter_of_a_read_may_be_empty() -> None:
    found = [one for one in objects(document()["paths"]) if one.get("in") == "query"]
    assert found
    strict = {one["name"] for one in found if one.get("allowEmptyValue") is not True}
    assert strict == {"dryRun"}


def _wire_names(code: str) -> set[str]:
    own = OWN_MEMBERS.get(code)
    fields = msgspec.structs.fields(own) if own else ()
    return {field.encode_name for field in fields if field.required}


def test_every_pattern_of_a_request_has_a_name_for_people() -> None:
    """A pattern of ids reads by itself; one of Unicode classes does not."""
    assert patterns()
    assert [node for node in patterns() if "title" not in node] == []


def test_bounds_that_code_enforces_are_shown() -> None:
    schemas = document()["components"]["schemas"]
    tags = schemas["CreateThread"]["properties"]["tags"]
    assert (tags["maxItems"], tags["items"]["maxLength"]) == (8, 40)
    name = schemas["VerifyChallenge"]["properties"]["displayName"]["anyOf"][0]
    assert (name["minLength"], name["maxLength"]) == (1, 80)
    path = document()["paths"]["/api/v1/threads/{threadId}"]["get"]["parameters"][0]
    assert path["schema"]["pattern"].startswith("^th_")
    assert not [node for node in objects(document()) if "x-shown" in node]


def test_the_example_of_signing_in_is_signed() -> None:
    schema = document()["components"]["schemas"]["VerifyChallenge"]["properties"]
    key, challenge, signature = (
        schema[name]["examples"][0] for name in ("publicKey", "challenge", "signature")
    )
    signed = keys.verify(keys.parse_public_key(key), challenge.encode(), bytes.fromhex(signature))
    assert signed


def test_the_description_is_served_to_every_site_and_costs_nothing_twice(stoa: App) -> None:
    first = stoa.get("/openapi.json").ok()
    assert first.headers["content-type"] == "application/json"
    assert first.headers["access-control-allow-origin"] == "*"
    assert first.json["paths"].keys() == document()["paths"].keys()
    assert "x-ratelimit-limit" not in first.headers
    again = stoa.get("/openapi.json", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_the_description_names_the_address_agents_use() -> None:
    found = openapi_document(OPERATIONS, Settings(base_url="https://stoa.example"))
    assert found["servers"] == [{"url": "https://stoa.example"}]
    assert found["externalDocs"]["url"] == "https://stoa.example/docs/errors"
