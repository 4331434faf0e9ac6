"""What a connection asks of all its calls: `/mcp?view=lean`, `?readonly=1` and `?toolsets=work`."""

import gc
import json
import re
from itertools import combinations
from typing import Any

import pytest

from stoa.mcp.eras import EnvelopeEra
from stoa.operations.catalog import all_operations
from stoa.operations.table import Toolset
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.jobs import new_job
from tests.support.mcp import ERAS, Mcp, problem
from tests.support.moderation import MODERATED
from tests.support.oauth import bearer
from tests.support.receiver import Receiver
from tests.support.webhooks import LOOPBACK
from tests.upkeep.test_event_subscriptions import SECRET, echo
from tools.docs import ROOT

WRITING = {one.name for one in all_operations() if one.writes}
ALL = {one.tool for one in all_operations() if one.tool}
RESEARCH = {"search", "fetch"}
SETS = {
    str(one): {each.name for each in all_operations() if one in each.toolsets} for one in Toolset
} | {"research": RESEARCH}
EVERY = {one.name for one in all_operations() if one.toolsets} | RESEARCH


class Connected(Mcp):
    """A client that was given an address with parameters."""

    def __init__(self, app: App, version: str, query: str) -> None:
        super().__init__(app, version)
        self.query = query

    def send(self, body: Any, headers: Any = (), **options: Any) -> Answer:
        """See `Mcp.send`."""
        path = f"/mcp{self.query}"
        return self.app.call("POST", path, body, headers=dict(headers), **options)


@pytest.fixture(params=ERAS)
def version(request: pytest.FixtureRequest) -> str:
    return request.param


def listed(mcp: Mcp, **options: Any) -> set[str]:
    return {tool["name"] for tool in mcp.ask("tools/list", **options).ok()["result"]["tools"]}


@pytest.mark.promise("V8")
def test_lean_is_the_default_of_a_connection_that_says_so(stoa: App, version: str) -> None:
    ada = stoa.agent("Ada")
    thread = ada.thread()
    mcp = Connected(stoa, version, "?view=lean")
    lean = mcp.result("get_thread", {"threadId": thread["id"]})
    assert lean == stoa.get(f"threads/{thread['id']}?view=lean").ok().json
    full = mcp.result("get_thread", {"threadId": thread["id"], "view": "full"})
    assert full == stoa.get(f"threads/{thread['id']}").ok().json
    written = mcp.result("create_thread", {"title": "A", "body": "B"}, ada)
    assert written.keys() == {"id", "status", "receiptId", "nextActions"}
    assert listed(mcp) == ALL
    # Output schemas name the members of full answers, so a list of lean ones has none.
    for query, described in (("?view=lean", False), ("?view=full", True)):
        tools = Connected(stoa, version, query).ask("tools/list").ok()["result"]["tools"]
        assert all(("outputSchema" in tool) == described for tool in tools)


@pytest.mark.promise("V9")
def test_a_connection_that_only_reads_lists_and_calls_no_tool_that_writes(
    stoa: App, version: str
) -> None:
    ada = stoa.agent("Ada")
    mcp = Connected(stoa, version, "?readonly=1")
    assert listed(mcp) == ALL - WRITING
    token = f"Bearer {ada.token}"
    asked = {"title": "A", "body": "B", "authorization": token}
    refused = mcp.call("create_thread", asked)
    assert problem(refused)[1] == -32602
    assert stoa.get("threads").ok()["threads"] == []
    assert "threads" in mcp.result("get_recent_threads", {})
    Mcp(stoa, version).result("create_thread", {"title": "A", "body": "B"}, ada)  # the control


@pytest.mark.settings(**LOOPBACK)
def test_a_connection_that_only_reads_makes_and_ends_no_subscription(
    stoa: App, version: str, receiver: Receiver
) -> None:
    ada, receiver.answer = stoa.agent("Ada"), echo
    delivery = {"mode": "webhook", "url": receiver.url, "secret": SECRET}
    asked = {"name": "stoa.inbox", "arguments": {}, "delivery": delivery}
    reads, writes = (Connected(stoa, version, query) for query in ("?readonly=1", ""))

    def said(client: Connected, method: str) -> Answer:
        return client.ask(f"events/{method}", asked, bearer(ada.token))

    def delivers(client: Connected) -> list[list[str]]:
        listed = client.ask("events/list").ok()["result"]["events"]
        return [one["delivery"] for one in listed]

    for method in ("subscribe", "unsubscribe"):
        refused = said(reads, method)
        assert problem(refused)[1] == -32014
        assert refused["error"]["data"] == {"feature": "delivery.mode", "value": "webhook"}
    assert receiver.received == []
    assert said(writes, "subscribe").ok()["result"]["id"]  # the control
    said(reads, "unsubscribe")
    assert "deliveryStatus" in said(writes, "subscribe").ok()["result"]
    assert said(reads, "poll").ok()["result"]["events"] == []
    assert (delivers(reads), delivers(writes)) == (
        [["poll", "push"]] * 2, [["poll", "push", "webhook"]] * 2,
    )  # fmt: skip


@pytest.mark.promise("V1")
@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("?toolsets=default", {}, ALL),
        ("?toolsets=work", {}, SETS["work"]),
        ("?toolsets=default,account,records", {}, ALL | SETS["account"] | SETS["records"]),
        ("?toolsets=" + ",".join(SETS), {}, EVERY),
        ("?toolsets=work&readonly=1", {}, SETS["work"] - WRITING),
        ("?toolsets=", {}, ALL),
        ("", {"X-MCP-Toolsets": "account"}, SETS["account"]),
        ("", {"X-MCP-Toolsets": "Work, account"}, SETS["work"] | SETS["account"]),
        ("", {"X-MCP-Toolsets": " "}, ALL),
        ("?toolsets=work", {"X-MCP-Toolsets": "account"}, SETS["work"]),
    ],
)
def test_a_connection_lists_the_tools_of_the_sets_that_it_names(
    stoa: App, version: str, query: str, headers: dict[str, str], expected: set[str]
) -> None:
    assert listed(Connected(stoa, version, query), headers=headers) == expected


@pytest.mark.parametrize("engine", ["sqlite"])
def test_few_of_all_choices_of_sets_are_kept(stoa: App) -> None:
    def kept() -> int:
        return sum(isinstance(one, EnvelopeEra) for one in gc.get_objects())

    gc.collect()
    before, names = kept(), [str(one) for one in Toolset]
    for first, second in combinations(names, 2):
        Mcp(stoa, path=f"/mcp?toolsets={first},{second}").ask("ping").ok()
    assert 0 < kept() - before <= 40
    assert Mcp(stoa).ask("tools/list").ok()["result"]["tools"]


def test_the_default_set_is_the_21_tools_and_others_have_what_their_names_say() -> None:
    assert len(SETS["default"]) == 21
    assert SETS["default"] == ALL
    assert {"get_me", "revoke_sessions"} <= SETS["account"]
    assert {"claim_job", "submit_job", "list_jobs"} <= SETS["work"]
    assert {"list_entries", "list_agents", "get_keys", "list_replies"} <= SETS["records"]
    # A text could ask a model for these, and nobody can take them back.
    assert not EVERY & {"retire_agent", "rotate_key", "recover_key", "name_recovery_key"}


def test_the_page_on_mcp_has_the_tools_of_each_set() -> None:
    page = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE))
    for name in SETS.keys() - {"default"}:
        assert set(re.findall("`(.+?)`", rows.get(name, ""))) == SETS[name], name


@pytest.mark.parametrize(
    ("query", "tool", "hint"),
    [
        ("", "get_inbox", "/mcp?toolsets=default,inbox, or "),
        ("", "get_inbox", " or run stoa agent mcp --toolsets default,inbox."),
        ("?toolsets=work", "get_inbox", "/mcp?toolsets=work,inbox, or "),
        ("?toolsets=work", "get_thread", "/mcp?toolsets=work,default, or "),
        ("?readonly=1", "create_thread", "this connection asked for tools that read"),
        ("", "rotate_key", "rotate_key is not a tool: POST /api/v1/auth/rotate over HTTP."),
        (
            "?toolsets=work",
            "get_artifact",
            "is not a tool: call get_job_submissions with `submissionId` and `artifact`.",
        ),
    ],
)
def test_a_call_of_a_tool_that_is_not_listed_says_how_to_get_it(
    stoa: App, version: str, query: str, tool: str, hint: str
) -> None:
    answer = Connected(stoa, version, query).call(tool, {})
    message = answer.json["error"]["message"]
    assert message.startswith("Unknown tool: ")
    assert hint in message


@pytest.mark.promise("V2")
def test_a_tool_of_no_named_set_cannot_be_called(stoa: App, version: str) -> None:
    ada = stoa.agent("Ada")
    arguments = {"authorization": f"Bearer {ada.token}"}
    for query, works, lacks in (
        ("", "get_credit_balance", "get_me"),
        ("?toolsets=account", "get_me", "get_thread"),
        ("?toolsets=account&readonly=1", "get_me", "revoke_sessions"),
    ):
        mcp = Connected(stoa, version, query)
        assert problem(mcp.call(lacks, arguments))[1] == -32602
        assert "notice" in mcp.result(works, {**arguments, "view": "lean"})


def test_a_tool_of_another_set_answers_as_its_route_does(stoa: App, version: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread()
    reply = bob.reply(thread)
    mcp = Connected(stoa, version, f"?toolsets={','.join(SETS)}")
    paths = {"threadId": thread["id"], "replyId": reply["id"], "agentId": bob.id}
    created = ada.post("jobs", new_job()).ok(201)
    paths |= {"jobId": created["job"]["id"], "receiptId": created["receipt"]["id"]}
    reads = [one for one in all_operations() if not (one.tool or one.writes)]
    reads = [one for one in reads if one.toolsets - {Toolset.ADMIN}]
    assert reads
    for one in reads:
        arguments = {name: paths[name] for name in one.path_fields}
        answer = mcp.result(one.name, arguments, ada)
        assert answer == ada.get(one.path.format_map(paths).removeprefix("/api/v1/")).ok().json
    ended = mcp.result("revoke_sessions", {}, bob)
    assert ended["revoked"] == 1
    assert bob.get("agents/me").status == 401


@pytest.mark.promise("V10")
def test_a_model_reads_its_inbox_acknowledges_it_and_waits(stoa: App, version: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread()
    bob.reply(thread, "Use the backup API.")
    mcp = Connected(stoa, version, "?toolsets=inbox,events&view=lean")
    assert listed(mcp) >= {"get_inbox", "read_inbox", "list_events"}
    inbox = mcp.result("get_inbox", {"wait": 30}, ada)
    (row,) = inbox["events"]
    assert (row["kind"], row["excerpt"]) == ("reply.created", "Use the backup API.")
    assert "accept_reply" in row["nextActions"]
    acknowledged = mcp.result("read_inbox", {"cursor": inbox["nextCursor"], "view": "full"}, ada)
    assert acknowledged["unread"] == 0
    assert "events" not in mcp.result("get_inbox", {}, ada)
    (event,) = mcp.result("list_events", {"kinds": "reply.created"})["events"]
    assert event["id"] == row["id"]
    assert "excerpt" not in event


@MODERATED
def test_moderators_act_through_the_set_admin_and_others_are_refused(
    stoa: App, version: str
) -> None:
    mod, ada = stoa.agent("mod"), stoa.agent("Ada")
    thread = ada.thread()
    mcp = Connected(stoa, version, "?toolsets=admin")
    asked = {"threadId": thread["id"], "action": "hide", "reason": "Advertising."}
    assert mcp.result("moderate_thread", asked, ada)["code"] == "moderator_required"
    assert mcp.result("moderate_thread", asked, mod)["action"]["moderatorAgentId"] == mod.id
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")
    shown = mcp.result("get_moderated_thread", {"threadId": thread["id"]}, mod)
    assert [act["action"] for act in shown["actions"]] == ["hide"]
    listed = Mcp(stoa, version).call("moderate_thread", {**asked, "action": "restore"})
    assert problem(listed)[1] == -32602


@pytest.mark.parametrize(
    ("query", "header", "reads"),
    [
        ("", "1", True),
        ("", "TRUE", True),
        ("", "0", False),
        ("?readonly=0", "1", False),
        ("?readonly=false", "true", False),
        ("?readonly=true", "0", True),
    ],
)
def test_the_header_says_what_the_address_does_not(
    stoa: App, version: str, query: str, header: str, reads: bool
) -> None:
    found = listed(Connected(stoa, version, query), headers={"X-MCP-Readonly": header})
    assert found == (ALL - WRITING if reads else ALL)


@pytest.mark.parametrize(
    ("query", "headers", "path"),
    [
        ("?view=thin", {}, "query.view"),
        ("?readonly=yes", {}, "query.readonly"),
        ("?veiw=lean", {}, "query.veiw"),
        ("?view=lean&view=lean", {}, "query.view"),
        ("", {"X-MCP-Readonly": "maybe"}, "X-MCP-Readonly"),
        ("?toolsets=all", {}, "query.toolsets.0"),
        ("?toolsets=work,,account", {}, "query.toolsets.1"),
        ("?toolsets=default,accounts", {}, "query.toolsets.1"),
        ("?toolset=work", {}, "query.toolset"),
        ("", {"X-MCP-Toolsets": "default,jobs"}, "X-MCP-Toolsets.1"),
    ],
)
def test_a_wrong_parameter_is_a_400_that_names_it(
    stoa: App, version: str, query: str, headers: dict[str, str], path: str
) -> None:
    mcp = Connected(stoa, version, query)
    refused = mcp.ask("tools/list", headers=headers).invalid(path)
    assert json.loads(refused.content)["code"] == "invalid_request"
