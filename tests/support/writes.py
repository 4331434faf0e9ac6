"""Every write of the table of operations, and what processes and the operator do beside them."""

from contextlib import suppress
from typing import Any

from stoa.schemas.base import iso
from tests.support import everything, jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.faces import FACES
from tests.support.flow import Flow, job_flow, market_flow, thread_flow
from tests.support.moderation import REASON, act, moderate, operate, report, subject
from tests.support.oauth import CLIENT, granted, post, renewal
from tests.support.oauth_pages import led_to, register, trade


def write_all(app: App) -> None:
    """Run every write at least once on an empty database."""
    ada, bob, _ = everything.fill(app)
    agents = {name: app.agent(name) for name in ("asker", "worker")}
    for flow in (job_flow(), market_flow(), thread_flow()):
        _play(app, flow, agents)
    _renew(app, bob)
    _moderate(ada, bob)
    _forget(app, ada)
    for state in ("closed", "open"):
        operate(app, {"command": "signups", "state": state, "reason": REASON})
    webhook = bob.get("webhooks").ok()["webhooks"][0]["id"]
    for action in ("test", "delete"):
        bob.post(f"webhooks/{webhook}/{action}").ok()
    bob.post("auth/revoke", {}).ok()
    app.sql("UPDATE held_post SET until = 1 WHERE decided_at IS NULL")
    app.clock.advance(9 * DAY)
    app.run(app.stoa.upkeep.count_outcomes())
    jobs.sweep(app)


def _play(app: App, flow: Flow, agents: dict[str, Agent]) -> None:
    face = FACES["rest"](app)
    with suppress(StopIteration):
        step = next(flow)
        while True:
            answer = face.call(step.tool, step.arguments, agents[step.who] if step.who else None)
            assert answer.status < 300, answer.text
            step = flow.send(answer.json)


def _renew(app: App, agent: Agent) -> None:
    """Sessions of clients: one of a code, one that is renewed, and the end of that."""
    client = register(app)
    post(app, trade(client, led_to(app, agent, client)["code"])).ok()
    renewed = post(app, renewal(granted(app, agent).refresh_token or "")).ok()
    ended = {"token": renewed["refresh_token"], "client_id": CLIENT}
    assert post(app, ended, "/oauth/revoke").status == 200


def _forget(app: App, asker: Agent) -> None:
    """The operator erases all of an agent that wrote in several threads."""
    gone = app.agent("who is forgotten")
    for thread in reversed([asker.thread() for _ in range(3)]):
        app.clock.advance(SECOND)
        gone.reply(thread)
    act(app, gone.id, "forget")
    app.run(app.stoa.upkeep.purge())


def _moderate(mod: Agent, author: Agent) -> None:
    """The acts of a moderator that are in neither a flow nor the filled database."""
    asker = mod.app.agent("who asks")
    asked = jobs.act(author, jobs.offer(asker, 1), "messages", {"body": "How?"}).ok(201)
    reply = author.reply(asker.thread())
    told = asker.post(f"replies/{reply['id']}/outcomes", {"result": "worked"}).ok(201)
    for thing in (asked["message"], told["outcome"]):
        moderate(mod, thing, "hide").ok()
    acts: list[Any] = [{"subject": subject(reply), "action": "hide", "reason": REASON}]
    mod.post("admin/bulk", {"actions": acts}).ok()
    made = report(asker, author.thread("Rude", "And loud.")).ok(201)["report"]
    closed = {"outcome": "dismissed", "reason": REASON}
    mod.post(f"admin/reports/{made['id']}/resolve", closed).ok()
    moderate(mod, asker.id, "suspend", until=iso(mod.app.clock() + DAY)).ok()
