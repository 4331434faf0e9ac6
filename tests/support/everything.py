"""A database in which every table has rows and everything that has states is in each of them."""

from functools import partial
from typing import Any

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.store import events, held
from stoa.store.held import HeldRow
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import SECOND
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.moderation import act, moderate, operate, report, suspend
from tests.support.oauth import granted
from tests.support.oauth_pages import led_to, register

_LATE = 4_102_444_800_000  # ms; the year 2100
_WORDS = ("Größe", "naïve café", "パンを焼く", "two  spaces", "'quoted' \\ \"text\"", "🜁")


def fill(app: App) -> list[Agent]:
    """Fill an empty database; its agents, signed in."""
    ada = app.agent("ada", capabilities=["Baking", "review"], description="Asks and pays.")
    bob = app.agent("bob", capabilities=["baking"])
    cy = app.agent("cy")
    bob.reply(ada.thread("Never decided", bountyCredits=1), "In time.")
    app.run(app.stoa.store.write(partial(events.forget, most=1_000, kept_ms=-SECOND)))
    for status in jobs.STATUSES:
        jobs.job_in(status, ada, bob, reward=5, tags=["bread", "brød"], requirements=["baking"])
        for agent in (ada, bob, cy):
            agent.sign_in()
    long = {"body": "The figures.", "artifacts": [{"name": "figures", "text": "7;" * 4096}]}
    jobs.act(bob, jobs.job_in("CLAIMED", ada, bob, reward=5), "submit", long).ok(201)
    jobs.sweep(app)
    app.run(app.stoa.upkeep.watch())
    _discuss(app, ada, bob)
    jobs.done(bob, jobs.offer(ada, 2.5, tags=["open"]), "claim")
    jobs.offer(bob, 1, tags=["bread"], requirements=["baking"])
    promised = {"claimHours": 12, "onSilence": "pay"}
    jobs.done(bob, jobs.offer(ada, 1, terms=promised), "claim", "release")
    unanswered = {"title": "Nobody has answered", "body": "Who knows?", "bountyCredits": 3}
    app.post("threads", unanswered, headers={**ada.headers, "Idempotency-Key": "once"}).ok(201)
    app.sql("UPDATE token SET revoked_at = 1 WHERE agent_id = ?", cy.id)
    cy.sign_in()
    granted(app, cy)
    suspend(app, app.agent("dee"))
    _change_keys(app)
    _moderate(app, ada, bob)
    led_to(app, ada, register(app))
    bob.post("webhooks", {"url": "https://agent.example/hook"}).ok(201)
    bob.post("watches", {"query": "sqlite backups"}).ok(201)
    app.run(app.stoa.upkeep.tell())
    bob.post("inbox/read", {"cursor": bob.get("inbox?limit=2").ok()["nextCursor"]}).ok()
    asked = '{"title": "Held", "body": "Not yet."}'
    held_one = HeldRow(
        f"th_{encode_ulid(app.clock(), 7)}",
        "thread",
        bob.id,
        None,
        None,
        "First.",
        1,
        _LATE,
        asked,
    )
    app.run(app.stoa.store.write(partial(held.add, row=held_one)))
    app.sql("INSERT INTO stop (name, reason, created_at) VALUES ('rehearsal', 'none', 1)")
    return [ada, bob, cy]


def talk(ada: Agent, bob: Agent) -> None:
    """Fill the tables of what two agents say around a thread and a job."""
    thread = ada.thread("Added to", "First.")
    for number in range(limits.TELLING_BUSY + 1):
        bob.reply(thread, f"Answer {number}.")
    ada.app.run(ada.app.stoa.upkeep.tell())
    ada.post(f"threads/{thread['id']}/append", {"body": "Second."}).ok()
    jobs.act(bob, jobs.offer(ada, 1), "messages", {"body": "How?"}).ok(201)
    chosen = jobs.offer(ada, 1, terms={"assignment": "chosen"})
    jobs.act(bob, chosen, "apply", {"message": "I can."}).ok()


def _change_keys(app: App) -> None:
    eve, offline = app.agent("eve"), Key("offline")
    rotate(eve, Key("eve's second")).ok()
    eve.key = Key("eve's second")
    eve.sign_in()
    name_recovery(eve, offline).ok()
    name_recovery(eve, Key("dropped")).ok()
    recover(app, eve.id, offline, Key("eve's third")).ok()
    fay = app.agent("fay")
    fay.post("agents/me/retire", {"confirm": fay.id}).ok()


def _moderate(app: App, ada: Agent, bob: Agent) -> None:
    """What moderators have done; `ada` was made a moderator and acts as one."""
    command = {"command": "grant", "key": ada.key.public, "reason": "She is careful."}
    operate(app, command)
    rude = app.agent("gus")
    spam = rude.thread("Advertising", "Buy!", tags=["bread"], bountyCredits=1)
    moderate(ada, rude.reply(spam, "Buy more!"), "hide").ok()
    moderate(ada, spam, "hide").ok()
    moderate(ada, jobs.offer(rude, 1), "cancel").ok()
    moderate(ada, rude.id, "hide").ok()
    moderate(ada, rude.id, "suspend", until="2100-01-01T00:00:00.000Z").ok()
    moderate(ada, bob.thread("Too long", "Enough was said."), "lock").ok()
    moderate(ada, bob.id, "adjust", points=3).ok()
    report(bob, spam).ok(201)
    rude = bob.thread("Rude", "And loud.")
    made = report(ada, rude).ok(201)["report"]
    act(app, rude, "hide", report_ids=[made["id"]])


def _discuss(app: App, ada: Agent, bob: Agent) -> None:
    for word in _WORDS:
        thread = ada.thread(
            f"About {word}", f"{word}\n\n- {word}\n", tags=["bread", word[:5].strip()]
        )
        app.clock.advance(SECOND)
        parent: Any = None
        for depth in range(4):
            parent = bob.reply(thread, f"{word} at depth {depth}", parent)
            app.clock.advance(SECOND)
    paid = ada.thread("Paid for", "With credits.", tags=["paid"], bountyCredits=4)
    answer = bob.reply(paid, "The answer.")
    ada.accept(paid, answer).ok()
    went = {"result": "worked_with_changes", "environment": "postgres 16", "note": "Slowly."}
    ada.post(f"replies/{answer['id']}/outcomes", went).ok(201)


def answers(app: App, agents: list[Agent]) -> dict[str, bytes]:
    """What everybody is told, by who asks and what: bytes of lists and of what is in them."""
    told: dict[str, bytes] = {}
    for path in paths(app):
        told[f"nobody: {path}"] = _said(app.get(path))
        told |= {f"{agent.id}: {path}": _said(agent.get(path)) for agent in agents}
    return told


def paths(app: App) -> list[str]:
    """Lists of the database and all that is in them."""
    return [*_LISTS, *_things(app)]


def _things(app: App) -> list[str]:
    found: list[str] = []
    for thread in app.get("threads?limit=50").ok()["threads"]:
        own = f"threads/{thread['id']}"
        found += [own, f"{own}?include=replies", f"{own}/replies?limit=3"]
    for job in app.get("jobs?limit=50").ok()["jobs"]:
        found += [f"jobs/{job['id']}", f"jobs/{job['id']}/submissions"]
    for agent in app.get("agents?limit=50").ok()["agents"]:
        found += [f"agents/{agent['id']}{more}" for more in ("", "/reputation", "/keys")]
    return found


def _said(answer: Answer) -> bytes:
    # A refusal names its request.
    return answer.content if answer.status == 200 else (answer.code or "").encode()


_LISTS = (
    "threads?limit=3",
    "threads?tag=bread&limit=2",
    "threads?status=answered&limit=2",
    "unanswered?limit=2",
    "jobs?sort=reward&limit=2",
    "jobs?status=OPEN&sort=deadline",
    "opportunities?limit=2",
    "opportunities/recommended",
    "agents?capability=baking",
    "credits/balance",
    "credits/ledger?limit=3",
    "market",
    "search?q=credits",
    "search?q=%22two+spaces%22",
    "search?tag=bread",
    "events?limit=3",
    "inbox?limit=2",
)
