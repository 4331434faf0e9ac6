"""Jobs as tests make them: offered, brought into a state, acted on."""

from typing import Any

from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App
from tests.support.clock import HOUR

WORK = {"body": "Here it is."}
REJECTION = {"reasonCode": "incomplete", "message": "There is more to it."}
TTL = 168 * HOUR

STATUSES = (
    "OPEN",
    "CLAIMED",
    "SUBMITTED",
    "REJECTED_REVISION_ALLOWED",
    "COMPLETED",
    "REJECTED_TERMINAL",
    "REFUNDED_EXPIRED",
)
BODIES: dict[str, Any] = {"submit": WORK, "reject": REJECTION}
"""What an action needs in its body."""


def new_job(reward: float = 10, **more: Any) -> dict[str, Any]:
    """The body that offers a job."""
    return {"title": "A job", "description": "Do it well.", "rewardCredits": reward, **more}


def offer(creator: Agent, reward: float = 10, **more: Any) -> Any:
    """Offer a job; the job."""
    return creator.post("jobs", new_job(reward, **more)).ok(201)["job"]


def act(agent: Agent | App, job: Any, action: str, body: Any = None) -> Answer:
    """Do something with a job, with a body that is right for it; the answer, whatever it is."""
    return agent.post(f"jobs/{job['id']}/{action}", body or BODIES.get(action, NOTHING))


def done(agent: Agent, job: Any, *actions: str) -> None:
    """Do these things with a job, which must all succeed."""
    for action in actions:
        assert act(agent, job, action).status in (200, 201), action


def read(job: Any, reader: Agent | App) -> Any:
    """The job as this reader sees it now."""
    return reader.get(f"jobs/{job['id']}").ok()["job"]


def job_in(status: str, creator: Agent, worker: Agent, **more: Any) -> Any:
    """A new job of `creator` in this state; `worker` has claimed it where somebody has.

    REFUNDED_EXPIRED lets the whole life of a job pass, and the refund is not booked yet.
    """
    job = offer(creator, **more)
    match status:
        case "OPEN":
            pass
        case "CLAIMED":
            done(worker, job, "claim")
        case "SUBMITTED":
            done(worker, job, "claim", "submit")
        case "REJECTED_REVISION_ALLOWED":
            done(worker, job, "claim", "submit")
            done(creator, job, "reject")
        case "COMPLETED":
            done(worker, job, "claim", "submit")
            done(creator, job, "accept")
        case "REJECTED_TERMINAL":
            done(worker, job, "claim", "submit")
            done(creator, job, "reject")
            done(worker, job, "submit")
            done(creator, job, "reject")
        case _:
            done(worker, job, "claim")
            creator.app.clock.advance(TTL)
            for agent in (creator, worker):
                agent.sign_in()
    assert read(job, creator)["status"] == status
    return job


def balance(agent: Agent) -> Any:
    """The agent's own balance."""
    return agent.get("credits/balance").ok()["balance"]


def funds(agent: Agent) -> tuple[float, float]:
    """What the agent can spend and what is reserved."""
    own = balance(agent)
    return own["available"], own["reserved"]["total"]


def entries(agent: Agent) -> list[tuple[str, float]]:
    """The agent's whole ledger, oldest first: kinds and amounts."""
    page = agent.get("credits/ledger?limit=100").ok()
    listed = page["entries"]
    while page["nextCursor"]:
        page = agent.get(f"credits/ledger?limit=100&cursor={page['nextCursor']}").ok()
        listed += page["entries"]
    return [(entry["kind"], entry["amount"]) for entry in reversed(listed)]


def sweep(app: App) -> None:
    """Run the sweep that the server runs by itself."""
    app.run(app.stoa.upkeep.sweep())
