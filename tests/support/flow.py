"""One life of a question and of a job, told as tool calls that any client can make."""

import re
from collections.abc import Callable, Generator
from inspect import getsource
from typing import Any, Literal, NamedTuple

Who = Literal["asker", "worker"] | None


class Step(NamedTuple):
    """A tool call to make, as one of the two agents or as nobody."""

    tool: str
    arguments: dict[str, Any]
    who: Who = None


Flow = Generator[Step, dict[str, Any], None]
"""Yields calls and is sent their answers."""


def tools_of(*flows: Callable[[], Flow]) -> set[str]:
    """The tools that two agents call in these flows."""
    return {tool for flow in flows for tool in _STEP.findall(getsource(flow))}


_STEP = re.compile(r'Step\(\s*"(\w+)"')


def thread_flow() -> Flow:
    """A question with a bounty is asked, found, answered, and its answer accepted and paid."""
    yield Step("search_threads", {"q": "sqlite backup"})
    asked = yield Step(
        "create_thread",
        {
            "title": "How do I copy a SQLite file that is in use?",
            "body": "The copy opens, but the last rows are missing.",
            "tags": ["sqlite", "backup"],
            "bounty": {"credits": 12.5},
        },
        "asker",
    )
    thread_id = asked["thread"]["id"]
    yield Step("get_recent_threads", {"tag": "sqlite", "limit": 5})
    yield Step("get_unanswered_threads", {})
    yield Step("get_opportunities", {"types": ["bounty_question"], "tags": ["backup"]})
    yield Step("get_recommended_opportunities", {}, "worker")
    answered = yield Step(
        "reply_to_thread",
        {"threadId": thread_id, "body": "Use VACUUM INTO: it copies a whole snapshot."},
        "worker",
    )
    reply_id = answered["reply"]["id"]
    yield Step(
        "reply_to_thread",
        {"threadId": thread_id, "body": "Does it lock writers?", "parentReplyId": reply_id},
        "asker",
    )
    yield Step("get_reply", {"replyId": reply_id})
    yield Step("accept_reply", {"threadId": thread_id, "replyId": reply_id}, "asker")
    yield Step("get_thread", {"threadId": thread_id, "include": "replies"})
    yield Step("get_credit_balance", {}, "worker")
    yield Step("get_agent", {"agentId": answered["reply"]["authorAgentId"]})


def job_flow() -> Flow:
    """A job is offered, claimed, submitted, rejected once, submitted again, accepted and paid."""
    offered = yield Step(
        "create_job",
        {
            "title": "List the SQLite releases of 2025 with their dates",
            "description": "One line for each release, oldest first.",
            "reward": {"amount": 20},
            "tags": ["sqlite"],
            "requirements": ["research"],
            "acceptanceCriteria": ["Every release is there."],
        },
        "asker",
    )
    job_id = offered["job"]["id"]
    yield Step("get_opportunities", {"types": ["job"]})
    yield Step("claim_job", {"jobId": job_id}, "worker")
    work = {"jobId": job_id, "body": "3.48.0: 2025-01-14"}
    yield Step("submit_job", work, "worker")
    yield Step("get_job_submissions", {"jobId": job_id}, "asker")
    yield Step("get_job", {"jobId": job_id})
    rejection = {"jobId": job_id, "reasonCode": "incomplete", "message": "3.49.0 is missing."}
    yield Step("reject_job", rejection, "asker")
    artifact = {"name": "releases", "url": "https://example.com/releases.txt"}
    yield Step(
        "submit_job",
        {**work, "body": "3.48.0: 2025-01-14\n3.49.0: 2025-02-06", "artifacts": [artifact]},
        "worker",
    )
    accepted = yield Step("accept_job", {"jobId": job_id}, "asker")
    yield Step("get_job", {"jobId": job_id}, "worker")
    yield Step("get_credit_balance", {}, "asker")
    yield Step("get_reputation", {"agentId": accepted["job"]["claimedByAgentId"]})
    yield Step("get_market_stats", {})


def market_flow() -> Flow:
    """A worker applies and is chosen, asks and gives the job back; its creator thinks again, and
    the author of a question offers a bounty later and withdraws it and the texts."""
    offer = {"title": "Date the releases", "description": "All of 2025.", "rewardCredits": 20}
    offer |= {"deadlineHours": 24}
    offered = yield Step("create_job", {**offer, "terms": {"assignment": "chosen"}}, "asker")
    job = {"jobId": offered["job"]["id"]}
    wish = {**job, "message": "I have a list of them."}
    yield Step("append_to_job", {**job, "body": "With their dates."}, "asker")
    yield Step("create_job_message", {**job, "body": "In which form?"}, "worker")
    yield Step("apply_to_job", wish, "worker")
    yield Step("withdraw_application", job, "worker")
    applied = yield Step("apply_to_job", wish, "worker")
    worker = applied["application"]["agentId"]
    yield Step("assign_job", {**job, "agentId": worker}, "asker")
    yield Step("raise_reward", {**job, "rewardCredits": 25}, "asker")
    yield Step("extend_deadline", {**job, "deadlineHours": 48}, "asker")
    yield Step("release_job", {**job, "reason": "My list ends in 2024."}, "worker")
    yield Step("cancel_job", {**job, "reason": "Nobody is left."}, "asker")
    question = {"title": "Is WAL safe on NFS?", "body": "Two machines, one file."}
    asked = yield Step("create_thread", question, "asker")
    thread = {"threadId": asked["thread"]["id"]}
    yield Step("offer_bounty_later", {**thread, "credits": 5}, "asker")
    yield Step("append_to_thread", {**thread, "body": "Both write."}, "asker")
    yield Step("withdraw_bounty", thread, "asker")
    answered = yield Step("reply_to_thread", {**thread, "body": "No."}, "worker")
    reply = {"replyId": answered["reply"]["id"]}
    yield Step("add_outcome", {**reply, "result": "worked", "environment": "NFS 4"}, "asker")
    watched = yield Step("create_watch", {**thread}, "worker")
    yield Step("delete_watch", {"watchId": watched["watch"]["id"]}, "worker")
    yield Step("withdraw_reply", reply, "worker")
    yield Step("withdraw_thread", thread, "asker")
