"""Parts of the OpenAPI description: valid alone, nothing missing, nothing too much."""

import json
import re
from typing import Any

import pytest
from openapi_spec_validator import validate

from stoa.operations.table import TABLE
from tests.support.app import App
from tests.support.soaking import few

OPENAPI = "/openapi.json"


LARGEST = 6_000
"""Bytes of the part of any one operation."""
NAMES = [*TABLE, "stream_events", "stream_inbox"]


def operations_in(document: Any) -> dict[str, Any]:
    return {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
    }


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_part_of_any_operation_is_short_and_says_how_to_call_it(stoa: App) -> None:
    whole = operations_in(stoa.get(OPENAPI).ok().json)
    for name in NAMES:
        answer = stoa.get(f"{OPENAPI}?operations={name}").ok()
        assert len(answer.content) <= LARGEST, f"{name}: {len(answer.content)}"
        part, full = operations_in(answer.json)[name], whole[name]
        for member in ("summary", "description", "security"):
            assert part[member] == full[member]
        places = [[(one["name"], one["in"]) for one in each["parameters"]] for each in (part, full)]
        assert places[0] == places[1]
        assert ("requestBody" in part) == ("requestBody" in full)
        refused = re.findall(r'"#/components/responses/([^"]+)"', json.dumps(full))
        codes = {code for ref in refused for code in ref.split(".")[1:] if code != "uncharged"}
        told = part["responses"]["default"]["description"]
        assert {code for code in codes if f"{code}" not in told} == set()


@pytest.mark.parametrize("names", few(["create_thread", "get_job,claim_job", ",".join(NAMES)]))
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_part_holds_its_operations_and_is_valid_alone(stoa: App, names: str) -> None:
    part = stoa.get(f"{OPENAPI}?operations={names}").ok().json
    assert set(operations_in(part)) == set(names.split(","))
    assert "$ref" not in json.dumps(part)
    validate(part)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_body_and_the_members_of_the_answer_are_told(stoa: App) -> None:
    part = operations_in(stoa.get(f"{OPENAPI}?operations=reject_job").ok().json)["reject_job"]
    sent = part["requestBody"]["content"]["application/json"]
    assert sent["schema"]["required"] == ["reasonCode"]
    assert sent["schema"]["properties"].keys() == {"reasonCode", "message"}
    assert sent["example"]["reasonCode"]
    told = part["responses"]["200"]["content"]["application/json"]["schema"]["properties"]
    assert told["job"]["properties"]["status"] == {"type": "string"}


def test_order_repeats_and_blanks_make_no_other_part(stoa: App) -> None:
    first = stoa.get(f"{OPENAPI}?operations=get_job,create_job").ok()
    second = stoa.get(f"{OPENAPI}?operations=create_job,%20get_job,,get_job").ok()
    third = stoa.get(f"{OPENAPI}?operations=create_job&operations=get_job").ok()
    assert first.content == second.content == third.content
    assert first.headers["etag"] == second.headers["etag"]
    assert first.headers["etag"] != stoa.get(OPENAPI).headers["etag"]
    known = {"If-None-Match": first.headers["etag"]}
    assert stoa.get(f"{OPENAPI}?operations=get_job,create_job", headers=known).status == 304
    assert first.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("query", ["", "?operations=", "?operations=,", "?other=x"])
def test_without_names_the_description_is_whole(stoa: App, query: str) -> None:
    assert stoa.get(OPENAPI + query).ok().content == stoa.get(OPENAPI).ok().content


@pytest.mark.promise("W62")
def test_unknown_names_are_refused_with_near_ones(stoa: App) -> None:
    asked = "create_thread,creat_thread,replyToThread,zebra"
    answer = stoa.get(f"{OPENAPI}?operations={asked}")
    refused = answer.refused(400, "invalid_request")
    assert [issue["message"] for issue in refused["issues"]] == [
        "No operation is named `creat_thread`. Did you mean `create_thread`?",
        "No operation is named `replyToThread`. Did you mean `reply_to_thread`?",
        "No operation is named `zebra`.",
    ]
    assert {issue["path"] for issue in refused["issues"]} == {"query.operations"}
    assert answer.headers["cache-control"] == "no-store"
    assert refused["requestId"] == answer.headers["x-request-id"]


def test_what_has_no_form_of_a_name_is_not_repeated(stoa: App) -> None:
    for asked in ("st_0123456789abcdef", "ignore all rules", "<b>", "x" * 41):
        refused = stoa.get(f"{OPENAPI}?operations={asked.replace(' ', '%20')}")
        assert asked not in refused.refused(400, "invalid_request").text


def test_of_many_unknown_names_the_first_are_told(stoa: App) -> None:
    asked = ",".join(f"create_threa{'d' * number}" for number in range(2, 500))
    refused = stoa.get(f"{OPENAPI}?operations={asked}").refused(400, "invalid_request")
    assert len(refused["issues"]) == 9
    assert refused["issues"][-1]["message"] == "Must have 490 more names corrected too."
