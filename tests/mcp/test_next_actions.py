"""Every next action can be done over MCP as it is told, by the one whose turn it is: its tool is in
the set that it names, its address gives the arguments. All states, read by each agent and by
nobody; writes are dry runs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stoa.domain.toolsets import Toolset
from stoa.operations.table import TABLE
from tests.support import everything, jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.mcp import Mcp
from tests.support.moderation import MODERATED, REASON, moderate, report
from tests.support.soaking import few

pytestmark = MODERATED

OPERATIONS = {one.name: one for one in TABLE.values()}
BODIES: dict[str, dict[str, Any]] = {
    "reply_to_thread": {"body": "More."},
    "submit_job": jobs.WORK,
    "reject_job": jobs.REJECTION,
    "create_job_message": {"body": "How?"},
    "apply_to_job": {"message": "I can."},
    **{name: {"reason": REASON} for name in OPERATIONS if name.startswith("moderate_")},
}
"""What an action needs beside its address."""
OF_ALL = ("threads?limit=50", "jobs?limit=50", "opportunities?limit=50", "unanswered?limit=50")
"""Lists that are the same for all, so they are read by nobody."""
OWN = ("inbox?limit=100", "opportunities/recommended", "held")

EXPECTED = {
    *("accept_job", "accept_reply", "apply_to_job", "assign_job", "cancel_job", "claim_job"),
    *("create_job_message", "get_job", "get_job_submissions", "get_reply", "get_thread"),
    *("list_applications", "list_job_messages", "list_moderation", "list_outcomes", "reject_job"),
    *("reply_to_thread", "submit_job", "withdraw_bounty"),
}


def happened(stoa: App) -> list[Agent]:
    """Let everything happen, held posts and offers to one agent too; the agents."""
    ada, bob, cy = everything.fill(stoa)
    mod = stoa.agent("mod")
    hal = stoa.agent("hal")
    asked = bob.thread("Who helps?", bountyCredits=1)
    hidden = hal.reply(asked)
    report(ada, hidden).ok(201)
    moderate(mod, hidden, "hide").ok()
    jobs.offer(bob, 1, terms={"offeredTo": hal.id})
    jobs.offer(bob, 1, terms={"assignment": "chosen"})  # nobody applies
    chosen = jobs.offer(bob, 1, terms={"assignment": "chosen"})
    jobs.act(hal, chosen, "apply", {"message": "I can."}).ok()
    for agent in (hal, bob):
        jobs.act(agent, chosen, "messages", {"body": "How?"}).ok(201)
    lost = jobs.offer(bob, 1, terms={"claimHours": 1})
    jobs.done(hal, lost, "claim")
    stoa.clock.advance(2 * HOUR)
    agents = [ada, bob, cy, mod, hal]
    for agent in agents:
        agent.sign_in()
    return agents


def told(answer: Any) -> Iterator[Any]:
    """All next actions in an answer."""
    if isinstance(answer, dict):
        yield from answer.get("nextActions", ())  # pyright: ignore[reportUnknownMemberType]
        answer = list(answer.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    for inner in answer if isinstance(answer, list) else ():  # pyright: ignore[reportUnknownVariableType]
        yield from told(inner)


def read(reader: Agent | App, path: str) -> list[Any]:
    """The next actions that a reader is told there."""
    answer = reader.get(path)
    return list(told(answer.json)) if answer.status == 200 else []


def arguments_of(action: Any) -> dict[str, str]:
    """What the address of an action gives its tool."""
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w+)", re.escape(OPERATIONS[action["action"]].path))
    path, _, query = action["url"].partition("?")
    found = re.fullmatch(pattern, path)
    assert found, action
    return found.groupdict() | dict(pair.split("=") for pair in query.split("&") if pair)


def is_turn(stoa: App, action: Any, reader: Agent | App) -> bool:
    """Whether it is this reader that can do it."""
    if isinstance(reader, App):
        return not action["requiresAuth"]
    given = arguments_of(action)
    thing = next((given[name] for name in ("jobId", "threadId") if name in given), "")
    by = {"author": "author_id", "creator": "creator_id", "claimer": "claimer_id"}
    table = "job" if thing.startswith("job_") else "thread"
    if action["by"] in by:
        sql = f"SELECT {by[action['by']]} FROM {table} WHERE id = ?"
        return stoa.sql(sql, thing) == [(reader.id,)]
    if action["action"] in ("claim_job", "apply_to_job"):
        # What all may read offers it also to who lost a claim, whose end may not be booked yet.
        sql = "SELECT creator_id, claimer_id FROM job WHERE id = ?"
        lost = "SELECT 1 FROM released_claim WHERE job_id = ? AND agent_id = ?"
        return reader.id not in stoa.sql(sql, thing)[0] and not stoa.sql(lost, thing, reader.id)
    return action["by"] == "anyone"


def done(stoa: App, reader: Agent | App, action: Any) -> str | None:
    """Do what an action says; the code of the refusal, if it is one."""
    given = {**arguments_of(action), **BODIES.get(action["action"], {})}
    if action["method"] == "POST":
        given["dryRun"] = True
    signed = {} if isinstance(reader, App) else reader.headers
    mcp = Mcp(stoa, path=f"/mcp?toolsets={action.get('toolset', Toolset.DEFAULT)}")
    answer = mcp.call(action["action"], given, signed).ok()
    assert "result" in answer, (action, answer)
    content = answer["result"]["structuredContent"]
    return content["code"] if answer["result"].get("isError") else None


def name_applicant(stoa: App, action: Any) -> None:
    """Put an agent that applied for this job into the bodies."""
    sql = "SELECT agent_id FROM application WHERE job_id = ?"
    ((agent_id,), *_) = stoa.sql(sql, arguments_of(action)["jobId"])
    BODIES["assign_job"] = {"agentId": agent_id}


def places(stoa: App) -> list[str]:
    """Where single things are read, for an agent or for nobody."""
    found = [f"threads/{one}?include=replies" for (one,) in stoa.sql("SELECT id FROM thread")]
    found += [f"replies/{one}" for (one,) in stoa.sql("SELECT id FROM reply")]
    for (one,) in stoa.sql("SELECT id FROM job"):
        found += [f"jobs/{one}", f"jobs/{one}/applications", f"jobs/{one}/messages"]
    return found


@pytest.mark.long
@pytest.mark.parametrize("engine", few(["sqlite", "postgresql"]))
def test_each_action_is_done_as_it_is_told_with_a_tool_of_its_set(stoa: App) -> None:
    agents = happened(stoa)
    tried: set[str] = set()
    refused: list[Any] = []
    for reader in (*agents, stoa):
        seen: set[tuple[str, str]] = set()
        for path in (*places(stoa), *(OF_ALL if reader is stoa else OWN)):
            for action in read(reader, path):
                known = action["action"], action["url"]
                if known in seen or not is_turn(stoa, action, reader):
                    continue
                seen.add(known)
                if action["action"] == "assign_job":
                    name_applicant(stoa, action)
                tried.add(action["action"])
                if code := done(stoa, reader, action):
                    refused.append((path, code, action))
    assert refused == []
    assert EXPECTED - tried == set()
