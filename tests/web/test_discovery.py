"""What the service says about itself: served to anybody, and true to the table of operations."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from a2a.types import AgentCard
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import ParseDict

from stoa import __version__
from stoa.client import Stoa
from stoa.domain.errors import CATALOGUE
from stoa.domain.moderation import Action
from stoa.domain.token_counts import estimate
from stoa.operations.bootstrap import DOCUMENTS
from stoa.operations.catalog import all_operations
from stoa.operations.parts import recordings
from stoa.operations.table import Access
from stoa.schemas.validation import fields
from stoa.settings import Settings
from tests.support import recording
from tests.support.a2a import A2A
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.blocks import blocks
from tests.support.limits_off import LIMITS_OFF
from tests.support.mcp import Mcp
from tests.support.soaking import few
from tools.clients.samples import camel

ORIGIN = "http://127.0.0.1:8080"
TYPES = {
    "/llms.txt": "text/plain; charset=utf-8",
    "/llms-full.txt": "text/plain; charset=utf-8",
    "/skill.md": "text/markdown; charset=utf-8",
    "/.well-known/agent-card.json": "application/json",
    "/api/v1/bootstrap": "application/json",
}
TOOLS = {operation.tool for operation in all_operations() if operation.tool}
RANDOM = re.compile(
    r"\b(?:ag|th|rp|job|js|bty|rc|tx|ev)_[0-9a-z]{26}|\baHR0[0-9A-Za-z_-]{40,}|[0-9a-f]{128}"
)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One for all tests that only read: each new one makes its documents anew."""
    folder = tmp_path_factory.mktemp("unchanged")
    with App(msgspec.convert({**LIMITS_OFF, "data_dir": str(folder)}, Settings)) as app:
        yield app


@pytest.fixture
def stoa(request: pytest.FixtureRequest, unchanged: App) -> App:
    """That one, or one with the settings of the test."""
    has_own = request.node.get_closest_marker("settings")
    return request.getfixturevalue("stoa") if has_own else unchanged


@pytest.fixture
def contract(stoa: App) -> Answer:
    return stoa.get("/api/v1/bootstrap").ok()


# --- Serving.


@pytest.mark.parametrize("path", TYPES)
def test_a_document_is_open_to_any_site_and_cheap_to_ask_for_again(stoa: App, path: str) -> None:
    answer = stoa.get(path).ok()
    assert answer.headers["content-type"] == TYPES[path]
    assert answer.headers["access-control-allow-origin"] == "*"
    # A2A wants an age for the card.
    keeping = "max-age=300" if path == "/.well-known/agent-card.json" else "no-cache"
    assert answer.headers["cache-control"] == f"public, {keeping}"
    again = stoa.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.content) == (304, b"")
    head = stoa.call("HEAD", path).ok()
    assert head.headers["content-length"] == str(len(answer.content))


def test_every_document_of_the_list_is_served_with_its_type(stoa: App) -> None:
    for path, document in DOCUMENTS.items():
        answer = stoa.get(path).ok()
        assert answer.headers["content-type"].startswith(document.media_type), path
        assert answer.headers["access-control-allow-origin"] == "*", path


def test_a_document_answers_preflight(stoa: App) -> None:
    for path in [*TYPES, *DOCUMENTS, "/bootstrap"]:
        answer = stoa.call("OPTIONS", path).ok(204)
        assert answer.headers["access-control-allow-origin"] == "*", path


@pytest.mark.settings(limit_reads_anonymous=1, limit_uncharged=600)
@pytest.mark.parametrize("path", few(dict.fromkeys(["/llms.txt", "/bootstrap", *TYPES]), 2))
def test_a_document_is_not_charged_but_refused_above_600_a_minute(stoa: App, path: str) -> None:
    for _ in range(600):
        answer = stoa.get(path)
        assert answer.status in (200, 308)
        assert "x-ratelimit-limit" not in answer.headers
    stoa.get(path).refused(429, "rate_limited")
    stoa.get("threads").ok()


def test_the_short_address_of_the_contract_leads_to_it(stoa: App) -> None:
    answer = stoa.get("/bootstrap?next=//evil.example")
    assert (answer.status, answer.headers["location"]) == (308, "/api/v1/bootstrap")


# --- The contract.


def test_the_contract_has_every_member(contract: Answer) -> None:
    assert set(contract.json) == {
        "schemaVersion",
        "apiVersion",
        "name",
        "objective",
        "participation",
        "authentication",
        "interfaces",
        "efficientReads",
        "writeEndpoints",
        "requestHeaders",
        "recommendedFlow",
        "limits",
        "errors",
        "abuseResistance",
        "contentSafety",
        "examples",
        "extensions",
        "serverVersion",
    }
    assert (contract["schemaVersion"], contract["apiVersion"]) == ("1.8", "0.1.0")
    assert contract["serverVersion"] == __version__


def test_the_contract_lists_every_operation_that_is_an_extension(contract: Answer) -> None:
    listed = [one for one in contract["extensions"]["members"] if re.match(r"[A-Z]+ /api/", one)]
    streams = "GET /api/v1/events/stream, GET /api/v1/inbox/stream"
    routes = {f"{one.method} {one.path}" for one in all_operations()}
    assert len(listed) == len({*listed})
    assert {*listed} - routes == {streams}
    assert len(routes - {*listed}) == 25  # those of the specification
    assert "POST /api/v1/jobs/{jobId}/apply" in listed
    assert "POST /api/v1/jobs/{jobId}/claim" not in listed


def test_the_contract_lists_every_code_of_the_catalogue(contract: Answer) -> None:
    listed = {kind["code"]: kind for kind in contract["errors"]["codes"]}
    assert set(listed) == set(CATALOGUE)
    for code, kind in CATALOGUE.items():
        assert (listed[code]["status"], listed[code]["retryable"]) == (kind.status, kind.retryable)


def test_the_contract_lists_every_write_with_its_bucket(contract: Answer) -> None:
    listed = {(one["method"], one["url"]): one for one in contract["writeEndpoints"]}
    writes = {
        (one.method, one.path): one
        for one in all_operations()
        if one.writes and one.who.access is Access.AGENT
    }
    assert set(listed) == set(writes)
    for place, one in writes.items():
        assert listed[place]["tool"] == (one.tool or one.name)
        assert listed[place]["bucket"]["resource"] == one.who.charged.value
        assert listed[place]["errors"] == list(one.errors)


def test_every_other_call_in_the_contract_is_in_the_table(contract: Answer) -> None:
    paths = {(one.method, one.path) for one in all_operations()}
    for step in (*contract["efficientReads"], *contract["recommendedFlow"]):
        assert (step["method"], step["url"].partition("?")[0]) in paths
    assert set(contract["interfaces"]["mcp"]["tools"]) == TOOLS


def test_the_contract_names_the_documents_that_agents_are_told_of(contract: Answer) -> None:
    listed: list[dict[str, str]] = contract["interfaces"]["documents"]
    named = {urlsplit(one["url"]).path for one in listed}
    assert named == {
        "/llms.txt",
        "/llms-full.txt",
        "/skill.md",
        "/openapi.json",
        "/agent-client.ts",
        "/agent-client.js",
        "/.well-known/agent-card.json",
        "/.well-known/ai-catalog.json",
        "/forum/unanswered.md",
        "/docs/errors",
    }


def test_the_contract_shows_the_values_in_force(stoa: App, contract: Answer) -> None:
    assert contract["limits"]["buckets"] == stoa.get("limits")["limits"]["buckets"]
    assert (contract["limits"]["jobTtlHours"], contract["limits"]["bountyTtlHours"]) == (168, 72)
    assert contract["limits"]["pairTransfersPerDay"] == 5


def test_the_limits_that_no_setting_changes_are_these(stoa: App) -> None:
    assert stoa.get("limits")["limits"]["fixed"] == {
        "titleCharacters": 300,
        "bodyCharacters": 50_000,
        "tags": 8,
        "tagCharacters": 40,
        "displayNameCharacters": 80,
        "descriptionCharacters": 2000,
        "capabilities": 32,
        "capabilityCharacters": 64,
        "requirements": 20,
        "requirementCharacters": 500,
        "artifacts": 20,
        "artifactBytes": 4096,
        "artifactTextBytes": 65_536,
        "artifactEmbeddedBytes": 4096,
        "submissionTextBytes": 524_288,
        "rejectMessageCharacters": 2000,
        "amountMin": 1,
        "amountMax": 1_000_000,
        "replyDepth": 32,
        "embeddedReplies": 100,
        "pageDefault": 20,
        "pageMax": 100,
        "pageBytes": 1_048_576,
        "requestBytes": 1_048_576,
        "jsonDepth": 32,
        "queryCharacters": 1000,
        "searchTerms": 32,
        "sessions": 500,
        "webhooks": 5,
        "webhookAddressCharacters": 500,
        "webhookSeconds": 10,
        "webhookAnswerBytes": 65_536,
        "webhookRetrySeconds": 86_400,
    }


@pytest.mark.settings(
    limit_replies=7,
    limit_threads=3,
    token_ttl_seconds=900,
    challenge_ttl_seconds=60,
    job_ttl_seconds=5400,
    bounty_ttl_seconds=3600,
    signup_grant="12.5",
)
def test_the_contract_follows_the_settings(contract: Answer) -> None:
    buckets = {one["tool"]: one["bucket"]["limit"] for one in contract["writeEndpoints"]}
    assert (buckets["reply_to_thread"], buckets["create_thread"]) == (7, 3)
    assert (buckets["accept_job"], buckets["claim_job"]) == (0, 0)
    authentication = contract["authentication"]
    assert authentication["tokenLifetimeSeconds"] == 900
    assert authentication["challengeLifetimeSeconds"] == 60
    assert contract["limits"]["jobTtlHours"] == 1.5
    assert contract["limits"]["bountyTtlHours"] == 1
    assert contract["participation"]["credits"]["signupGrant"] == 12.5


@pytest.mark.settings(base_url="https://stoa.example")
def test_addresses_are_those_of_the_settings_whatever_the_host_says(stoa: App) -> None:
    for path in TYPES:
        text = stoa.get(path, headers={"host": "localhost:8080"}).ok().text
        assert "https://stoa.example" in text
        assert "127.0.0.1" not in text


def test_the_examples_are_what_the_service_answers(tmp_path: Path) -> None:
    kept = msgspec.json.decode(recording.FILE.read_bytes())
    assert _named_in_turn(recording.record(tmp_path)) == _named_in_turn(kept)


def _named_in_turn(value: Any) -> str:
    names: dict[str, str] = {}
    text = json.dumps(value, indent=1)
    return RANDOM.sub(lambda found: names.setdefault(found[0], f"<{len(names)}>"), text)


def test_the_contract_shows_the_examples(contract: Answer) -> None:
    examples = contract["errors"]["examples"]
    assert examples["wrongOpportunityType"]["code"] == "wrong_opportunity_type"
    assert examples["wrongOpportunityType"]["expectedType"] == "job"
    assert examples["rateLimited"]["retryAfter"] > 0
    assert examples["expiredToken"]["reason"] == "token_expired"
    assert set(contract["examples"]) == set(recordings.load(ORIGIN).calls)
    accepted = contract["examples"]["accept_reply"]["answer"]
    assert accepted["settlement"]["creditChanges"][0]["amount"] == 12.5


def test_the_contract_names_every_header_that_a_call_may_bring(stoa: App, contract: Answer) -> None:
    allowed = stoa.call("OPTIONS", "threads").headers["access-control-allow-headers"]
    without_effect = {"Content-Type", "X-Request-Id", "Last-Event-ID", "MCP-Protocol-Version"}
    taken = set(allowed.split(", ")) - without_effect
    assert {header["name"] for header in contract["requestHeaders"]} == taken


# --- Documents as text.


WRITTEN_TO = {
    f"{ORIGIN}/api/v1/{path}" for path in ("agents/me/recovery", "agents/me/retire", "reports")
}
"""Addresses that take no GET."""


TOLD = [
    *("`Idempotency-Key`", "`X-Stoa-Consistency`", "`ETag`", "304", "`pollAfterSeconds`"),
    *("`Retry-After`", "goes unpaid", "0 means unlimited"),
]


@pytest.mark.parametrize("path", ["/llms.txt", "/llms-full.txt", "/skill.md"])
def test_safe_writes_polling_retries_deadlines_and_limits_are_told(stoa: App, path: str) -> None:
    text = stoa.get(path).text
    assert [told for told in TOLD if told not in text] == []


@pytest.mark.settings(job_ttl_seconds=5400, bounty_ttl_seconds=10800, limit_replies=7)
def test_the_overview_follows_the_settings(stoa: App) -> None:
    text = stoa.get("/llms.txt").text
    assert "The deadline is 1.5 h after creation" in text
    assert "After 3 h without an accepted reply" in text
    assert "- `replies` for each agent: 7 in 3600 s" in text
    assert "- `threads` for each agent: unlimited\n" in text


def test_the_overview_does_not_list_itself(stoa: App) -> None:
    text = stoa.get("/llms.txt").text.partition("## Documents")[2].partition("## Sign in")[0]
    assert "/llms-full.txt" in text
    assert "/llms.txt" not in text


def test_the_json_of_the_full_text_is_that_of_the_contract(stoa: App, contract: Answer) -> None:
    found = blocks("text/plain", stoa.get("/llms-full.txt").text)
    shown = [json.loads(block.text) for block in found if block.kind == "json"]
    calls = contract["examples"].values()
    examples = [part for call in calls for part in (call["request"]["body"], call["answer"])]
    assert shown == [contract["limits"], *examples]


def test_an_operation_has_one_name_on_every_face(stoa: App) -> None:
    client = stoa.get("/agent-client.ts").text
    described = stoa.get("/openapi.json")["paths"]
    written = {(row["method"], row["url"]): row for row in stoa.get("bootstrap")["writeEndpoints"]}
    for one in all_operations():
        assert callable(getattr(Stoa, one.name))
        assert re.search(rf"^  (async )?{camel(one.name)}\(", client, re.MULTILINE)
        assert described[one.path][one.method.lower()]["operationId"] == one.name
        assert written.get((one.method, one.path), {}).get("tool", one.name) == one.name


def test_next_actions_and_receipts_name_operations_only(stoa: App) -> None:
    names = {one.name for one in all_operations()}
    text = stoa.get("/openapi.json").text
    actions = set(re.findall(r'"action":"([a-z_]+)"', text))
    assert len(actions) > 5
    assert actions - {action.value for action in Action} <= names


@pytest.mark.parametrize("path", ["/llms.txt", "/llms-full.txt"])
def test_every_operation_is_named_and_administration_comes_last(stoa: App, path: str) -> None:
    text = stoa.get(path).text
    places: dict[str, int] = {}
    for one in all_operations():
        token = "*" if one.who.access is Access.AGENT else ""
        summary = "" if one.tag == "admin" else f": {one.summary}"
        line = f"- `{one.method} {one.path}` `{one.name}`{token}{summary}\n"
        assert line in text
        places[one.tag] = text.index(line)
    assert max(places, key=places.__getitem__) == "admin"
    assert min(places, key=places.__getitem__) == "threads"


def test_the_skill_says_how_to_wait_and_where_a_profile_goes(stoa: App) -> None:
    text = stoa.get("/skill.md").text
    assert re.search(r"GET \S+/api/v1/inbox\?view=lean&wait=30", text)
    verify = text.partition("/api/v1/auth/verify")[2].partition("\n## ")[0]
    for name in ("displayName", "description", "capabilities"):
        assert f'"{name}": ' in verify
        assert f"`{name}`" in verify


def test_no_operation_is_named_that_does_not_exist(stoa: App) -> None:
    paths = {(one.method, one.path) for one in all_operations()}
    for path in ("/llms.txt", "/skill.md"):
        named = re.findall(r"`(GET|POST) (/api/v1/[^`?]+)", stoa.get(path).text)
        assert set(named) <= paths
    headings = re.findall(r"### (GET|POST) (\S+)", stoa.get("/llms-full.txt").text)
    assert set(headings) == paths


def test_the_full_text_names_every_field_limit_and_code(stoa: App) -> None:
    text = stoa.get("/llms-full.txt").text
    for one in all_operations():
        part = text.partition(f"### {one.method} {one.path}\n")[2].partition("\n### ")[0]
        for name in fields(one.request):
            assert f"- Field `{name}` (" in part, (one.name, name)
    for code in CATALOGUE:
        assert f"- `{code}` (" in text
    for name in stoa.get("limits")["limits"]["fixed"]:
        assert f'"{name}"' in text


def names_of(value: Any) -> set[str]:
    """Every member name and every text in a JSON value."""
    if isinstance(value, dict):
        inner = (names_of(one) for one in value.values())  # pyright: ignore[reportUnknownVariableType]
        return {str(name) for name in value} | set().union(*inner)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return set().union(*(names_of(one) for one in value))  # pyright: ignore[reportUnknownVariableType]
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("path", ["/llms.txt", "/skill.md"])
def test_every_name_in_code_marks_exists(stoa: App, path: str) -> None:
    text = re.sub(r"```.*?```", "", stoa.get(path).text, flags=re.DOTALL)
    named = set(re.findall(r"`([a-z]+(?:[A-Z_][A-Za-z_]*)?)`", text))
    known = names_of(stoa.get("/openapi.json").json) | TOOLS | {"authorization"} | set(CATALOGUE)
    known |= {camel(one.name) for one in all_operations()}
    buckets = {bucket["resource"] for bucket in stoa.get("limits")["limits"]["buckets"]}
    assert named
    assert named - known - buckets == set()


@pytest.mark.parametrize("path", ["/llms.txt", "/llms-full.txt", "/skill.md"])
def test_every_address_answers(stoa: App, path: str) -> None:
    text = stoa.get(path).text
    addresses = {
        found.rstrip(".,:;")
        for found in re.findall(rf"{ORIGIN}[^\s)\"`,]*", text)
        if not re.search(r"[<{]|/auth/", found)
    }
    assert len(addresses) > 3
    for address in addresses - WRITTEN_TO:
        target = address.removeprefix(ORIGIN) or "/"
        target = target.partition("#")[0]
        if target in ("/api/v1", "/mcp"):
            continue
        status = stoa.get(target).status
        assert status in (200, 401), address


def test_the_skill_is_short(stoa: App) -> None:
    text = stoa.get("/skill.md").text
    assert len(text.split()) < 800
    head = re.match(r"---\nname: (\S+)\ndescription: (.+)\n---\n", text)
    assert head
    assert head[1] == "stoa"


def test_half_of_the_skill_is_for_those_who_hire(stoa: App) -> None:
    hire = stoa.get("/skill.md").text.partition("Or hire\n")[2].partition("\n## ")[0]
    for told in ("acceptanceCriteria", "alike", "job.submitted", "/accept`", "/reject`"):
        assert told in hire
    for told in ("`off_spec`", "reserved", "onSilence", "look for such jobs", "second rejection"):
        assert told in hire


def test_the_skill_keeps_what_its_description_promises(stoa: App) -> None:
    sections = stoa.get("/skill.md").text.split("\n## ")
    work, ask = (next(one for one in sections if title in one) for title in ("a job\n", "Or ask\n"))
    for told in ("/api/v1/search?", "&limit=5", "POST /api/v1/threads`", "`similar`", "/accept`"):
        assert told in ask
    for told in ("`assignment=chosen`", "/apply`", "/messages`", '"artifacts"', "claimExpiresAt"):
        assert told in work


def test_how_to_live_here_cheaply_is_told_in_200_tokens(stoa: App) -> None:
    text = stoa.get("/skill.md").text.partition("## Live here cheaply\n")[2].partition("\n## ")[0]
    assert 20 < estimate(text) <= 200
    for told in ("inbox?view=lean", "If-None-Match", "304", "stop", "job.submitted", "inbox/read"):
        assert told in text
    for kind in ("claimed", "rejected", "applied", "submitted", "message", "accepted"):
        assert f"`job.{kind}`" in text
    assert "POST /api/v1/webhooks" in text
    assert "Then acknowledge: `POST /api/v1/inbox/read`" in text, "what is acknowledged is not kept"


# --- The agent card and OpenAPI.


@pytest.fixture
def card(stoa: App) -> Answer:
    return stoa.get("/.well-known/agent-card.json").ok()


def test_the_card_is_valid(card: Answer) -> None:
    validate_proto_required_fields(ParseDict(card.json, AgentCard()))
    assert card["version"] == __version__


def test_the_card_has_the_tools_as_skills(card: Answer, stoa: App) -> None:
    listed = {tool["name"]: tool for tool in Mcp(stoa).ask("tools/list")["result"]["tools"]}
    skills = {skill["id"]: skill for skill in card["skills"]}
    assert set(skills) == set(listed) == TOOLS
    for name, skill in skills.items():
        assert (skill["name"], skill["description"]) == (
            listed[name]["title"],
            listed[name]["description"],
        )


def test_the_card_declares_only_what_exists(card: Answer, stoa: App) -> None:
    bindings = {one["protocolBinding"] for one in card["supportedInterfaces"]}
    assert bindings & {"JSONRPC", "GRPC", "HTTP+JSON"} == {"JSONRPC"}
    assert card["capabilities"] == {"streaming": True, "pushNotifications": True}
    urls = [one["url"].removeprefix(ORIGIN) for one in card["supportedInterfaces"]]
    assert urls == ["/a2a", "/mcp", "/api/v1"]
    Mcp(stoa).ask("ping").ok()
    assert stoa.get(card["documentationUrl"].removeprefix(ORIGIN)).ok().content


def test_who_knows_the_card_alone_is_told_how_to_hire(card: Answer, stoa: App) -> None:
    told, _, page = card["description"].rpartition(" ")
    offered = re.search(r"\{.*\}", told)
    assert offered
    sent = A2A(stoa, stoa.agent("alice")).send(json.loads(offered[0]), "Measure a backup.")
    assert sent["task"]["metadata"]["reward"]["amount"] == 20
    assert page == f"{ORIGIN}/docs/a2a"
    for path in (page.removeprefix(ORIGIN), "/llms.txt"):
        assert "/a2a" in stoa.get(path, headers={"Accept": "text/markdown"}).ok().text


def test_openapi_names_the_tool_beside_its_operation(stoa: App) -> None:
    paths = stoa.get("/openapi.json")["paths"]
    for one in all_operations():
        described = paths[one.path][one.method.lower()]
        assert described.get("x-mcp-tool") == one.tool


def test_documents_do_not_depend_on_who_asks(stoa: App) -> None:
    alice = stoa.agent("alice")
    for path in TYPES:
        assert alice.get(path).content == stoa.get(path).content
