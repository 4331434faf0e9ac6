"""`tools/list`: which tools there are, and what their descriptions promise."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_types import ListToolsResult

from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Operation, Toolset
from stoa.schemas.validation import shapes
from tests.support.app import App
from tests.support.jobs import offer
from tests.support.mcp import ENVELOPE, ERAS, LATEST_HANDSHAKE, Mcp
from tests.support.moderation import MODERATED

READING = {
    "search_threads",
    "get_thread",
    "get_reply",
    "get_recent_threads",
    "get_unanswered_threads",
    "get_opportunities",
    "get_recommended_opportunities",
    "get_job",
    "get_job_submissions",
    "get_credit_balance",
    "get_market_stats",
    "get_reputation",
    "get_agent",
}
WRITING = {
    "create_thread",
    "reply_to_thread",
    "accept_reply",
    "create_job",
    "claim_job",
    "submit_job",
    "accept_job",
    "reject_job",
}
PERSONAL = {"get_recommended_opportunities", "get_job_submissions", "get_credit_balance"}
MOST_BYTES = 20_000

Tool = dict[str, Any]


@pytest.fixture
def tools(stoa: App) -> dict[str, Tool]:
    """The tools by name."""
    listed = Mcp(stoa).ask("tools/list").ok()["result"]["tools"]
    return {tool["name"]: tool for tool in listed}


@pytest.fixture
def operations() -> dict[str, Operation]:
    """The operations that are tools, by the tool's name."""
    return {operation.tool: operation for operation in all_operations() if operation.tool}


def schemas_of(value: Any) -> list[Any]:
    """Every object in a JSON Schema."""
    if isinstance(value, list):
        return [one for item in value for one in schemas_of(item)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return [value, *(one for item in value.values() for one in schemas_of(item))]  # pyright: ignore[reportUnknownVariableType]
    return []


def test_the_tools_are_those_that_are_published(tools: dict[str, Tool]) -> None:
    assert set(tools) == READING | WRITING


@pytest.mark.parametrize("version", ERAS)
def test_the_list_fits_into_20_kb_and_into_the_types_of_the_sdk(stoa: App, version: str) -> None:
    answer = Mcp(stoa, version).ask("tools/list").ok()
    assert len(answer.content) <= MOST_BYTES
    listed = ListToolsResult.model_validate(answer["result"])
    assert len(listed.tools) == len(READING | WRITING)
    assert listed.next_cursor is None


def test_both_eras_list_the_same_tools(stoa: App) -> None:
    first, second = (Mcp(stoa, version).ask("tools/list")["result"] for version in ERAS)
    assert first["tools"] == second["tools"]


def test_the_list_may_be_kept_for_a_while_in_the_newer_era(stoa: App) -> None:
    result = Mcp(stoa, ENVELOPE).ask("tools/list")["result"]
    assert (result["ttlMs"] > 0, result["cacheScope"]) == (True, "public")


@pytest.mark.parametrize(
    ("query", "header", "scope"),
    [
        ("", "", "public"),
        ("?toolsets=work", "", "public"),
        ("", "work", "private"),
        ("?toolsets=work", "inbox", "private"),
    ],
)
def test_a_list_that_headers_may_choose_is_kept_for_one_client_alone(
    stoa: App, query: str, header: str, scope: str
) -> None:
    mcp = Mcp(stoa, ENVELOPE, f"/mcp{query}")
    given = {"X-MCP-Toolsets": header} if header else {}
    assert mcp.ask("tools/list", headers=given)["result"]["cacheScope"] == scope
    assert mcp.ask("server/discover", headers=given)["result"]["cacheScope"] == "public"


def test_both_eras_name_the_extensions_that_are_supported(stoa: App) -> None:
    asked: dict[str, Any] = {"protocolVersion": "2025-11-25"}
    first = Mcp(stoa).ask("initialize", asked)["result"]["capabilities"]
    second = Mcp(stoa, ENVELOPE).ask("server/discover")["result"]["capabilities"]
    assert first["extensions"] == second["extensions"]
    assert "io.modelcontextprotocol/oauth-client-credentials" in first["extensions"]


def test_input_schemas_are_whole_and_plain(tools: dict[str, Tool]) -> None:
    for tool in tools.values():
        schema = tool["inputSchema"]
        Draft202012Validator.check_schema(schema)
        for one in schemas_of(schema):
            assert not {"$ref", "$defs", "x-shown", "x-mcp-header"} & set(one)
            assert not isinstance(one.get("type"), list), f"{tool['name']}: {one}"


def test_arguments_are_the_fields_of_the_request_and_the_token(
    tools: dict[str, Tool], operations: dict[str, Operation]
) -> None:
    for name, tool in tools.items():
        fields = set(shapes(operations[name].request)) | {"authorization"}
        lengths = {"excerpt", "maxTokens"}
        assert set(tool["inputSchema"]["properties"]) - lengths == fields


def test_the_token_is_required_where_a_call_needs_one(tools: dict[str, Tool]) -> None:
    requiring = {
        name
        for name, tool in tools.items()
        if "authorization" in tool["inputSchema"].get("required", [])
    }
    assert requiring == WRITING | PERSONAL


def test_bounds_are_in_the_schemas(tools: dict[str, Tool]) -> None:
    properties = tools["create_thread"]["inputSchema"]["properties"]
    assert properties["title"] == {"type": "string", "maxLength": 300, "pattern": r"\S"}
    assert properties["body"]["maxLength"] == 50_000
    listed, text = properties["tags"]["anyOf"]
    assert (listed["type"], listed["maxItems"], listed["items"]["maxLength"]) == ("array", 8, 40)
    assert text == {"type": "string"}
    artifact = tools["submit_job"]["inputSchema"]["properties"]["artifacts"]["items"]
    assert artifact["properties"]["text"]["maxLength"] == 65_536
    assert "64 KiB" in artifact["properties"]["text"]["description"]
    for name in ("search_threads", "get_opportunities", "get_job_submissions"):
        properties = tools[name]["inputSchema"]["properties"]
        assert properties["excerpt"] == {"type": "integer", "minimum": 40}
        assert properties["maxTokens"] == {"type": "integer", "minimum": 200}
    reason = tools["reject_job"]["inputSchema"]["properties"]["reasonCode"]["enum"]
    assert {"incomplete", "incorrect", "low_quality", "off_spec", "other"} <= set(reason)


def test_every_list_of_texts_may_be_text(
    tools: dict[str, Tool], operations: dict[str, Operation]
) -> None:
    lists = {
        name: {field for field, shape in shapes(one.request).items() if shape.is_list}
        for name, one in operations.items()
    }
    assert sum(map(len, lists.values())) > 5
    for name, fields in lists.items():
        for field in fields - {"actions", "artifacts"}:
            kinds = [
                one["type"] for one in tools[name]["inputSchema"]["properties"][field]["anyOf"]
            ]
            assert kinds == ["array", "string"]


def test_output_schemas_name_the_members_of_the_answer(tools: dict[str, Tool]) -> None:
    schema = tools["accept_reply"]["outputSchema"]
    assert set(schema["properties"]) == {
        "thread",
        "receipt",
        "payment",
        "settlement",
        "nextActions",
    }
    # `nextCursor` of every list stands in the `instructions`.
    assert set(tools["get_recent_threads"]["outputSchema"]["properties"]) == {"threads"}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_answer_stands_once_for_versions_that_know_text_alone(stoa: App, version: str) -> None:
    old, new = Mcp(stoa, version), Mcp(stoa)
    listed = old.ask("tools/list").ok()["result"]["tools"]
    assert listed
    assert all("outputSchema" not in tool for tool in listed)
    for arguments in ({}, {}, {"limit": 0}):
        once = old.call("get_recent_threads", arguments).ok()["result"]
        both = new.call("get_recent_threads", arguments).ok()["result"]
        assert set(once) == set(both) - {"structuredContent"}
        told = json.loads(once["content"][0]["text"])
        assert {**told, "requestId": 0} == {**both["structuredContent"], "requestId": 0}


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    ("toolset", "most_bytes", "needed"),
    [
        (
            "earn",
            7_000,
            "get_recommended_opportunities reply_to_thread claim_job submit_job read_inbox",
        ),
        ("ask", 10_500, "search_threads create_thread get_thread accept_reply get_inbox"),
        ("hire", 10_500, "create_job get_job_submissions accept_job reject_job get_inbox"),
    ],
)
def test_the_few_tools_of_a_newcomer_are_a_part_of_the_list(
    stoa: App, toolset: str, most_bytes: int, needed: str
) -> None:
    few = Mcp(stoa, path=f"/mcp?toolsets={toolset}").ask("tools/list").ok()
    assert len(few.content) < most_bytes
    assert {tool["name"] for tool in few["result"]["tools"]} >= {*needed.split()}


def test_the_instructions_say_how_to_be_named_and_how_to_wait(stoa: App) -> None:
    asked: dict[str, Any] = {
        "protocolVersion": LATEST_HANDSHAKE,
        "capabilities": {},
        "clientInfo": {},
    }
    said = Mcp(stoa).ask("initialize", asked).ok()["result"]["instructions"]
    verify = said.partition("/api/v1/auth/verify")[2]
    for name in ("displayName", "description", "capabilities"):
        assert f"`{name}`" in verify
    assert re.search(r"get_inbox with `wait`.*?/mcp\?toolsets=default,inbox\.", said)
    assert "at least 40" in said
    assert "at least 200" in said
    assert "work (applications, messages, cancel, withdraw)" in said
    assert all(re.search(rf"toolsets=.*\b{one}\b", said) for one in Toolset)
    listed = Mcp(stoa).ask("tools/list").ok().text
    assert "If-None-Match" not in said + listed


def test_output_schemas_hold_for_refusals_too(stoa: App, tools: dict[str, Tool]) -> None:
    for name, tool in tools.items():
        refused = Mcp(stoa).result(name, {"authorization": "Bearer x"})
        assert refused["code"] == "invalid_or_expired_token"
        validator = Draft202012Validator(tool["outputSchema"])
        assert not list(validator.iter_errors(refused))  # pyright: ignore[reportUnknownMemberType]


@MODERATED
@pytest.mark.parametrize("view", ["full", "lean"])
def test_output_schemas_hold_for_every_read_in_both_forms(stoa: App, view: str) -> None:
    mod, ada = stoa.agent("mod"), stoa.agent("Ada", description="Asks.")
    thread = ada.thread()
    job = offer(ada)
    asked = mod.post(f"jobs/{job['id']}/messages", {"body": "How so?"}).ok(201)
    reply = mod.reply(thread)
    said = ada.post(f"replies/{reply['id']}/outcomes", {"result": "worked"}).ok(201)["outcome"]
    paths = {
        "threadId": thread["id"],
        "replyId": reply["id"],
        "outcomeId": said["id"],
        "jobId": job["id"],
        "messageId": asked["message"]["id"],
        "receiptId": asked["receipt"]["id"],
        "agentId": ada.id,
    }
    every = f"/mcp?toolsets={','.join(Toolset)}"
    listed = Mcp(stoa, path=every).ask("tools/list")["result"]["tools"]
    schemas = {tool["name"]: tool["outputSchema"] for tool in listed}
    mcp = Mcp(stoa, path=f"{every}&view={view}")
    reads = [one for one in all_operations() if one.toolsets and not one.writes]
    for one in reads:
        caller = ada if one.name in ("get_job_submissions", "list_applications") else mod
        answer = mcp.result(one.name, {name: paths[name] for name in one.path_fields}, caller)
        assert "code" not in answer
        validator = Draft202012Validator(schemas[one.name])
        assert not list(validator.iter_errors(answer)), one.name  # pyright: ignore[reportUnknownMemberType]


def test_output_schemas_go_down_to_the_members_only(tools: dict[str, Tool]) -> None:
    for tool in tools.values():
        assert tool["outputSchema"]["type"] == "object"
        for member in tool["outputSchema"]["properties"].values():
            assert set(member) in ({"type"}, {"anyOf"}, set())


def test_hints_tell_readers_from_writers(tools: dict[str, Tool]) -> None:
    readers = {name for name, tool in tools.items() if tool["annotations"]["readOnlyHint"]}
    assert readers == READING


def test_hints_tell_what_cannot_be_undone_and_what_can_be_repeated(tools: dict[str, Tool]) -> None:
    hints = {name: tools[name]["annotations"] for name in WRITING}
    assert {name for name, hint in hints.items() if hint["destructiveHint"]} == {
        "accept_reply",
        "accept_job",
        "reject_job",
    }
    assert {name for name, hint in hints.items() if "idempotentHint" in hint} == {"claim_job"}


def test_hints_tell_what_moderators_and_owners_cannot_undo(stoa: App) -> None:
    listed = Mcp(stoa, path=f"/mcp?toolsets={','.join(Toolset)}").ask("tools/list").ok()
    hints = {tool["name"]: tool["annotations"] for tool in listed["result"]["tools"]}
    final = {name for name, hint in hints.items() if hint.get("destructiveHint")}
    assert final - WRITING == {
        "moderate_thread",  # hiding one refunds its bounty
        "moderate_job",
        "moderate_agent",  # sessions do not come back
        "moderate_many",
        "revoke_sessions",
        "delete_watch",
        "delete_webhook",
        "assign_job",
        "cancel_job",
        "raise_reward",
        "extend_deadline",
        "release_job",  # who gave a claim back cannot claim that job again
        "withdraw_thread",  # a text that was withdrawn does not come back
        "withdraw_reply",
        "withdraw_bounty",
        "offer_bounty_later",  # it is only raised, and an answer keeps it from being withdrawn
    }


def test_every_tool_has_a_title_and_says_when_to_use_it(tools: dict[str, Tool]) -> None:
    titles = {tool["title"] for tool in tools.values()}
    assert len(titles) == len(tools)
    assert all(len(tool["description"]) > 60 for tool in tools.values())


def test_descriptions_are_the_declarations_own(
    tools: dict[str, Tool], operations: dict[str, Operation]
) -> None:
    for name, tool in tools.items():
        assert tool["description"].startswith(operations[name].summary)


def test_what_a_tool_says_of_another_call_has_the_name_of_its_tool(stoa: App) -> None:
    listed = Mcp(stoa, path=f"/mcp?toolsets={','.join(Toolset)}").ask("tools/list").ok()
    calls = {f"{one.method} {one.path}": one.name for one in all_operations() if one.toolsets}
    for tool in listed["result"]["tools"]:
        text = json.dumps([tool["description"], tool["inputSchema"]])
        for named in re.findall(r"(?:GET|POST) /api/v1/[\w/{}]+", text):
            assert f"`{calls.get(named, named)}` ({named})" in text or named not in calls, tool


def test_an_argument_that_is_left_out_is_not_called_null(stoa: App) -> None:
    for tool in Mcp(stoa).ask("tools/list").ok()["result"]["tools"]:
        for one in schemas_of(tool["inputSchema"]):
            assert "null" not in str(one.get("description", "")), tool["name"]


def test_the_operations_say_who_needs_a_token(operations: dict[str, Operation]) -> None:
    agents_only = {name for name, one in operations.items() if one.who.access is Access.AGENT}
    assert agents_only == WRITING | PERSONAL


def test_the_list_is_json_without_loss(stoa: App) -> None:
    answer = Mcp(stoa).ask("tools/list")
    compact = json.dumps(answer.json, separators=(",", ":"), ensure_ascii=False)
    assert compact.encode() == answer.content
