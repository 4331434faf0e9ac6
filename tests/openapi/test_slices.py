"""Parts of the OpenAPI description: valid alone, nothing missing, nothing too much."""

import json
import re
from typing import Any

import pytest
from openapi_spec_validator import validate

from stoa.openapi.slices import Slices
from stoa.operations.table import TABLE
from tests.support.app import App

OPENAPI = "/openapi.json"


def references(part: Any) -> set[str]:
    return set(re.findall(r'"(#/components/[^"]+)"', json.dumps(part)))


def named(document: dict[str, Any]) -> set[str]:
    return {
        f"#/components/{kind}/{name}"
        for kind, components in document["components"].items()
        for name in components
    }


@pytest.mark.parametrize("names", ["create_thread", "get_job,claim_job", "list_agents"])
def test_a_part_holds_its_operations_and_what_they_use(stoa: App, names: str) -> None:
    part = stoa.get(f"{OPENAPI}?operations={names}").ok().json
    whole = stoa.get(OPENAPI).ok().json
    found = {
        operation["operationId"]: (path, method)
        for path, item in part["paths"].items()
        for method, operation in item.items()
    }
    assert set(found) == set(names.split(","))
    for path, method in found.values():
        assert part["paths"][path][method] == whole["paths"][path][method]
    assert named(part) == references(part) | {"#/components/securitySchemes/bearer"}
    for kind, components in part["components"].items():
        assert components.items() <= whole["components"][kind].items()
    used = {tag for place, verb in found.values() for tag in part["paths"][place][verb]["tags"]}
    assert {tag["name"] for tag in part["tags"]} == used
    validate(part)


def test_the_part_of_all_operations_has_all_that_any_of_them_uses(stoa: App) -> None:
    whole = stoa.get(OPENAPI).ok().json
    names = [*TABLE, "stream_events", "stream_inbox"]
    part = stoa.get(f"{OPENAPI}?operations={','.join(names)}").ok().json
    assert part["paths"] == whole["paths"]
    assert part["tags"] == whole["tags"]
    assert references(part) == references(whole)


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


def test_parts_are_cached_in_bounded_memory(stoa: App, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stoa.get(OPENAPI).ok().json
    monkeypatch.setattr("stoa.openapi.slices._CACHE_BYTES", 100_000)
    slices = Slices(whole)
    first = slices.encoded(["create_thread"])
    assert slices.encoded(["create_thread"]) is first
    for name in TABLE:
        slices.encoded([name])
    assert slices.encoded(["create_thread"]) is not first
    assert slices.encoded(["create_thread"]) == first
