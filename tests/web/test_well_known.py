"""The documents by which the service is found: valid against their schemas, and true."""

import copy
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from stoa import __version__
from stoa.operations.bootstrap import API_CATALOG, DOCUMENTS, MCP_CARD, MCP_PATHS, SECURITY_TXT
from tests.support.app import App
from tests.support.command import run_stoa_here
from tests.support.mcp import ENVELOPE, Mcp

ORIGIN = "http://127.0.0.1:8080"
SCHEMAS = Path(__file__).parents[1] / "data" / "discovery"
KINDS = {
    "/.well-known/ai-catalog.json": "ai-catalog",
    "/.well-known/agent-skills/index.json": "agent-skills",
    API_CATALOG: "linkset",
    MCP_CARD: "server-card",
    **{f"{path}/server-card": "server-card" for path in MCP_PATHS},
}
PUBLIC = pytest.mark.settings(base_url="https://stoa.example", contact="mailto:ops@stoa.example")


def problems(kind: str, document: Any) -> list[str]:
    """What the published schema finds wrong in a document."""
    schema = json.loads((SCHEMAS / f"{kind}.schema.json").read_text("utf-8"))
    validator: Any = Draft202012Validator(schema, format_checker=FormatChecker())
    return [error.message for error in validator.iter_errors(document)]


@pytest.mark.parametrize("path", KINDS)
@pytest.mark.promise("F1")
def test_each_document_is_valid_against_its_published_schema(stoa: App, path: str) -> None:
    document = stoa.get(path).ok().json
    assert problems(KINDS[path], document) == []


@PUBLIC
@pytest.mark.parametrize("path", KINDS)
def test_each_document_is_valid_on_a_public_address_and_names_no_other(
    stoa: App, path: str
) -> None:
    answer = stoa.get(path).ok()
    assert problems(KINDS[path], answer.json) == []
    assert "127.0.0.1" not in answer.text


BROKEN = {
    "ai-catalog": ("entries", 0, "type"),
    "agent-skills": ("skills", 0, "digest"),
    "linkset": ("linkset", 0, "service-desc", 0, "href"),
    "server-card": ("remotes", 0, "url"),
}


@pytest.mark.parametrize(("path", "kind"), KINDS.items())
def test_a_document_without_a_member_is_found_invalid(stoa: App, path: str, kind: str) -> None:
    document = copy.deepcopy(stoa.get(path).ok().json)
    *way, last = BROKEN[kind]
    inner = document
    for step in way:
        inner = inner[step]
    del inner[last]
    assert problems(kind, document)


def test_what_the_catalog_lists_is_served_there(stoa: App) -> None:
    entries = stoa.get("/.well-known/ai-catalog.json")["entries"]
    assert len({entry["identifier"] for entry in entries}) == len(entries) == 4
    for entry in entries:
        stoa.get(entry["url"].removeprefix(ORIGIN)).ok()


def test_the_links_of_the_api_catalog_lead_to_what_they_say(stoa: App) -> None:
    [context] = stoa.get(API_CATALOG)["linkset"]
    assert context.pop("anchor") == f"{ORIGIN}/api/v1"
    links = [link for group in context.values() for link in group]
    assert len(links) == 7
    for link in links:
        answer = stoa.get(link["href"].removeprefix(ORIGIN)).ok()
        assert answer.headers["content-type"].startswith(link["type"])


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_api_catalog_links_to_itself(stoa: App, method: str) -> None:
    answer = stoa.call(method, API_CATALOG).ok()
    assert answer.headers["link"] == f'<{ORIGIN}{API_CATALOG}>; rel="api-catalog"'
    assert answer.headers["content-type"] == DOCUMENTS[API_CATALOG].media_type


@PUBLIC
def test_the_server_card_names_the_server_as_mcp_does(stoa: App) -> None:
    card = stoa.get("/mcp/server-card").ok()
    assert card["name"] == "example.stoa/stoa"
    info = Mcp(stoa, ENVELOPE).ask("server/discover")["result"]["_meta"]
    [info] = [value for name, value in info.items() if name.endswith("serverInfo")]
    assert (card["title"], card["version"]) == (info["title"], info["version"])
    assert card["version"] == __version__
    assert card["websiteUrl"] == info["websiteUrl"]
    assert [one["url"] for one in card["remotes"]] == [
        f"https://stoa.example{path}" for path in MCP_PATHS
    ]


def test_each_endpoint_is_on_the_card_and_one_takes_a_header(stoa: App) -> None:
    cards = [stoa.get(f"{path}/server-card").ok() for path in MCP_PATHS]
    assert cards[0].content == cards[1].content == stoa.get(MCP_CARD).ok().content
    remotes = {one["url"].removeprefix(ORIGIN): one for one in cards[0]["remotes"]}
    assert set(remotes) == {"/mcp", "/mcp/oauth"}
    assert [header["name"] for header in remotes["/mcp"]["headers"]] == ["Authorization"]
    assert "headers" not in remotes["/mcp/oauth"]
    stoa.call("POST", "/mcp/oauth", {}).refused(401, "missing_bearer_token")


def test_the_versions_of_the_server_card_are_spoken(stoa: App) -> None:
    [remote] = stoa.get("/mcp/server-card")["remotes"][:1]
    versions = remote["supportedProtocolVersions"]
    for version in versions[:-1]:
        result = Mcp(stoa).ask("initialize", {"protocolVersion": version})["result"]
        assert result["protocolVersion"] == version
    supported = Mcp(stoa, ENVELOPE).ask("server/discover")["result"]["supportedVersions"]
    assert versions[-1] in supported


def test_the_card_leaves_the_rest_below_the_endpoint_as_it_was(stoa: App) -> None:
    missing = stoa.get("/mcp/another").refused(404, "not_found")
    assert "POST /mcp" in missing["recovery"]


def test_the_index_names_the_skill_as_it_is_served(stoa: App) -> None:
    [skill] = stoa.get("/.well-known/agent-skills/index.json")["skills"]
    served = stoa.get(skill["url"].removeprefix(ORIGIN)).ok()
    assert skill["digest"] == f"sha256:{hashlib.sha256(served.content).hexdigest()}"
    assert served.text.startswith(
        f"---\nname: {skill['name']}\ndescription: {skill['description']}\n---\n"
    )
    assert served.content == stoa.get("/skill.md").content


# --- security.txt.


def fields(text: str) -> dict[str, str]:
    """The fields of a `security.txt`."""
    return dict(line.split(": ", 1) for line in text.splitlines())


@PUBLIC
@pytest.mark.promise("F2")
def test_security_txt_names_the_contact_and_does_not_run_out(stoa: App) -> None:
    for _ in range(3):
        answer = stoa.get(SECURITY_TXT).ok()
        said = fields(answer.text)
        assert set(said) == {"Contact", "Expires", "Canonical"}
        assert said["Contact"] == "mailto:ops@stoa.example"
        assert said["Canonical"] == f"https://stoa.example{SECURITY_TXT}"
        now = datetime.fromtimestamp(stoa.clock() / 1000, UTC)
        left = datetime.fromisoformat(said["Expires"]) - now
        assert 178 < left.days < 365
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        stoa.clock.advance(200 * 24 * 3_600_000)


def test_without_a_contact_there_is_no_security_txt(stoa: App) -> None:
    assert stoa.get(SECURITY_TXT).status == 404


# --- The registry's file.


def test_server_json_is_valid_against_the_schema_of_the_registry() -> None:
    done = run_stoa_here("discovery", "server-json", "--base-url", "https://stoa.example")
    assert done.code == 0, done.err
    made = json.loads(done.out)
    assert problems("server", made) == []
    assert made["$schema"] == json.loads((SCHEMAS / "server.schema.json").read_text())["$id"]
    assert made["name"] == "example.stoa/stoa"
    del made["remotes"][0]["url"]
    assert problems("server", made)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080", "http://stoa.example"])
def test_server_json_is_refused_for_an_address_that_no_registry_lists(address: str) -> None:
    done = run_stoa_here("discovery", "server-json", "--base-url", address)
    assert (done.code, done.out) == (1, "")
    assert "STOA_BASE_URL" in done.err
