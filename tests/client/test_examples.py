"""Every example in the documentation of the Python clients works as it is written."""

import asyncio
import inspect
import re
import textwrap
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from stoa.client import AsyncStoa, Key, Stoa
from stoa.client.generated.models import SubmittedArtifactInput
from stoa.client.key_changes import signed_text
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.schemas.base import ListAnswer
from tests.support.oauth_pages import REDIRECT, authorize_path
from tests.support.server import MODERATOR_SEED, Server
from tests.support.soaking import fourth
from tools.clients.samples import iterator

LISTS = [row for row in all_operations() if issubclass(row.response, ListAnswer)]
MODERATOR = Key(MODERATOR_SEED)
ENDLESS = ["events", "inbox"]
"""Their examples have a loop that does not end, of which a test takes the first round."""
METHODS = [row.name for row in all_operations()] + [iterator(row.name) for row in LISTS] + ENDLESS


def example(method: str) -> str:
    """The code below "Example:" in the documentation of a method."""
    doc = inspect.getdoc(getattr(Stoa, method))
    assert doc
    _, _, rest = doc.partition("Example:\n\n")
    code = textwrap.dedent(rest.partition("\n\n")[0])
    return f"{code}\n    break" if method in ENDLESS else code


def awaited_example(method: str) -> str:
    """The same code for the asyncio client: a call is awaited, a loop is asynchronous."""
    code = example(method).replace("for ", "async for ", 1).replace("= stoa.", "= await stoa.", 1)
    assert code != example(method)
    return code


def world(server: Server, method: str) -> tuple[dict[str, Any], Stoa, Key]:
    """What the names in an example stand for, so that the call can succeed; and who makes it."""
    key = MODERATOR if "moderate" in method or "report" in method else Key.generate()
    caller, other = Stoa(server.url, key), Stoa(server.url, Key.generate())
    works = ("claim_job", "submit_job", "release_job", "apply_to_job", "withdraw_application")
    asks = other if method in (*works, "retire_agent") else caller
    answers = caller if asks is other else other
    bounty = 1 if method == "withdraw_bounty" else 0
    asked_for = asks.create_thread("Dough", "How warm?", bounty_credits=bounty)
    thread = asked_for.thread
    replies = asks if "withdraw" in method else answers
    reply = replies.reply_to_thread(thread.id, "24 degrees.").reply
    chosen = "appl" in method or method == "assign_job"
    job = asks.create_job(
        "Compare",
        "Three flours.",
        reward_credits=1,
        deadline_hours=24,
        terms={"assignment": "chosen"} if chosen else None,
    ).job
    if method in ("accept_job", "reject_job", "submit_job", "release_job"):
        answers.claim_job(job.id)
    if method in ("withdraw_application", "assign_job"):
        answers.apply_to_job(job.id, "I have baked this before.")
    work, message, said = (SimpleNamespace(id="") for _ in range(3))
    if "moderate" in method and "outcome" in method:
        said = asks.add_outcome(reply.id, "worked").outcome
    if "message" in method:
        message = answers.create_job_message(job.id, "How?").message
    if method in ("get_submission", "get_artifact"):
        answers.claim_job(job.id)
    if method in ("accept_job", "reject_job", "get_submission", "get_artifact"):
        table = SubmittedArtifactInput(name="table", text="flour;hours")
        work = answers.submit_job(job.id, "Done.", artifacts=[table]).submission
    part = {"subject": {"type": "thread", "id": thread.id}, "action": "hide", "reason": "spam"}
    report = SimpleNamespace(id="")
    if method == "resolve_report":
        report = other.create_report({"type": "reply", "id": reply.id}, "spam").report
    inbox = caller.get_inbox()
    names = SimpleNamespace(stoa=caller, thread=thread, reply=reply, job=job, inbox=inbox)
    names.acts, names.report, names.work = [part], report, work
    names.webhook, names.watch = wanted(caller, method)
    names.message, names.said, names.receipt = message, said, asked_for.receipt
    if method in ("rotate_key", "recover_key", "name_recovery_key"):
        proof = change_of_key(caller, key, method)
    else:
        new = Key.generate()
        issued = caller.create_challenge(new.public_key)
        signature = new.sign(issued.challenge.encode()).hex()
        proof = {"key": new, "issued": issued, "signature": signature, "new_signature": ""}
        proof |= {"other": new, "offline": new}
    proof |= {"code": "", "client_id": ""}
    if method in ("get_approval", "approve_client"):
        code = pairing_code(server)
        asked = caller.get_approval(code)
        proof |= {"code": code, "asked": asked, "client_id": asked.approval.client.id}
    agent = (caller if method in ("recover_key", "retire_agent") else other).sign_in().agent
    other.close()
    return {**vars(names), **proof, "agent": agent}, caller, key


def wanted(caller: Stoa, method: str) -> tuple[Any, Any]:
    """The webhook and the watch that the example of a method needs."""
    webhook = watch = SimpleNamespace(id="")
    if method in ("delete_webhook", "test_webhook"):
        webhook = caller.create_webhook("https://127.0.0.1:1/").webhook
    if method == "delete_watch":
        watch = caller.create_watch(tag="sqlite").watch
    return webhook, watch


def pairing_code(server: Server) -> str:
    """The pairing code of a client that waits for an approval."""
    body = {"redirect_uris": [REDIRECT]}
    registered = httpx.post(f"{server.url}/oauth/register", json=body, timeout=60)
    client_id = registered.json()["client_id"]
    page = httpx.get(server.url + authorize_path(client_id), timeout=60).text
    found = re.search(r'id="pairing-code">(\w+)<', page)
    assert found
    return found[1]


def change_of_key(caller: Stoa, key: Key, method: str) -> dict[str, Any]:
    """The names in an example of an operation that changes a key, with their signatures."""
    new, offline = Key.generate(), Key.generate()
    if method == "recover_key":
        caller.name_recovery(offline.public_key)
    named, asking = (offline, key) if method == "name_recovery_key" else (new, new)
    issued = caller.create_challenge(asking.public_key)
    change = {"rotate_key": "rotate", "recover_key": "recover"}.get(method, "recovery")
    text = signed_text(change, caller.sign_in().agent.id, named.public_key, issued.challenge)
    signer = offline if method == "recover_key" else key
    return {
        "key": key,
        "other": new,
        "offline": offline,
        "issued": issued,
        "signature": signer.sign(text.encode()).hex(),
        "new_signature": new.sign(text.encode()).hex(),
    }


@pytest.mark.parametrize("method", fourth(METHODS, 0))
def test_the_example_of_a_blocking_call_works(server: Server, method: str) -> None:
    names, caller, _ = world(server, method)
    with caller:
        exec(example(method), names)  # noqa: S102
    assert "answer" in names or "for " in example(method)


@pytest.mark.parametrize("method", fourth(METHODS, 2))
def test_the_example_of_an_awaited_call_works(server: Server, method: str) -> None:
    names, caller, key = world(server, method)
    caller.close()
    body = textwrap.indent(awaited_example(method), "    ")
    exec(f"async def run():\n{body}", names)  # noqa: S102

    async def run() -> None:
        async with AsyncStoa(server.url, key) as stoa:
            names["stoa"] = stoa
            await names["run"]()

    asyncio.run(run())


def test_operations_that_list_have_an_iterator() -> None:
    def has_rows(row: Operation) -> bool:
        return hasattr(Stoa, iterator(row.name)) and hasattr(AsyncStoa, iterator(row.name))

    assert [row.name for row in LISTS if not has_rows(row)] == []
    assert LISTS
