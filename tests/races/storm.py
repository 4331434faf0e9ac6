"""A storm: few agents who send random writes about the same few subjects at the same moment.

A seed draws the calls of each batch; what is there to be named follows from the answers, so that a
seed repeats its calls as far as the same calls win.
"""

import json
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, NamedTuple

from stoa.schemas.base import iso
from tests.support import key_changes
from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.keys import Key
from tests.support.ledger import rows
from tests.support.moderation import REASON, path

NAMES = ("ada", "bob", "cy", "dan", "eve")
SUBJECTS = 3
"""So many of the newest threads and as many jobs are written about."""

_TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"assignment": "chosen"},
    {"assignment": "chosen", "claimHours": 1},
    {"claimHours": 0.25},
    {"onSilence": "pay", "reviewHours": 0.25},
    {"onSilence": "pay", "reviewHours": 2, "claimHours": 0.5},
)
_NEWEST_JOBS = """
SELECT id, creator_id, claimer_id, status, amount FROM job
ORDER BY due_at IS NULL, id DESC LIMIT ?"""
_DEADLINES = """
SELECT expires_at FROM hold WHERE status = 'OPEN' UNION SELECT due_at FROM job
UNION SELECT claim_expires_at FROM job UNION SELECT in_force_at FROM key_change
UNION SELECT until FROM held_post WHERE decided_at IS NULL
UNION SELECT suspended_until FROM agent UNION SELECT expires_at FROM application"""


class Planned(NamedTuple):
    """A call of an agent. Calls with the same `key` are one call that is repeated."""

    who: str
    path: str
    body: Any = NOTHING
    key: str = ""
    dry: bool = False

    def __str__(self) -> str:
        body = "" if self.body is NOTHING else json.dumps(self.body)
        return f"{self.who} {self.path}{'?dryRun=true' * self.dry} {body} {self.key}".rstrip()


class Job(NamedTuple):
    """A job as the next calls see it."""

    id: str
    creator_id: str
    claimer_id: str | None
    status: str
    amount: int


Post = tuple[str, str]
"""The id of a text and that of its author."""


class Storm:
    """The agents, and what they write about."""

    def __init__(self, app: App, seed: int) -> None:
        self.app, self.random = app, Random(seed)
        app.apart_ms = self.random.choice([-5, 0, 3, 5]) * SECOND if app.processes[1:] else 0
        self.keys: dict[str, Key] = {}
        self.agents: dict[str, Agent] = {}
        for name in (*NAMES, "mod"):
            self._join(name, name)
        self.threads: list[Post] = []
        self.replies: list[tuple[str, str, str]] = []
        self.jobs: list[Job] = []
        self._made = 0
        self._begin()

    def _join(self, name: str, key_name: str) -> None:
        agent = self.app.agent(key_name)
        self.keys[agent.key.public] = agent.key
        self.agents[name] = agent

    def _begin(self) -> None:
        """Let most agents have had their first post released, and name recovery keys."""
        for name in NAMES[:-1]:
            thread = self.agents[name].thread(f"A storm by {name}", "Who knows?")
            self.agents["mod"].post(f"{path(thread)}/release", {"reason": REASON}).ok()
        for name in ("ada", "eve"):
            key_changes.name_recovery(self.agents[name], Key(f"recovers {name}")).ok()
        self.app.clock.advance(SECOND)

    # --- What is there.

    def look(self) -> None:
        """Find the newest subjects, and sign in who has lost the session."""
        app = self.app
        newest = "FROM thread ORDER BY id DESC LIMIT ?"
        self.threads = [(row[0], row[1]) for row in rows(app, f"SELECT id, author_id {newest}", 3)]
        of = f"SELECT id, author_id, thread_id FROM reply WHERE thread_id IN (SELECT id {newest})"
        replies = rows(app, f"{of} ORDER BY id DESC LIMIT 5", SUBJECTS)
        self.replies = [(row[0], row[1], row[2]) for row in replies]
        self.jobs = [Job(*row) for row in rows(app, _NEWEST_JOBS, SUBJECTS)]
        self.held = [row[0] for row in rows(app, "SELECT id FROM held_post ORDER BY id DESC")][:4]
        for name in self.agents:
            self._sign_in(name)

    def _sign_in(self, name: str) -> None:
        """Sign an agent in whose session has ended; another agent comes for one that is gone."""
        agent = self.agents[name]
        if agent.get("agents/me").status == 200:
            return
        known = "SELECT public_key FROM agent WHERE id = ? AND retired_at IS NULL"
        later = (
            "SELECT key FROM key_change WHERE agent_id = ? AND change <> 'recovery'"
            " AND dropped_at IS NULL AND in_force_at <= ? ORDER BY position DESC"
        )
        found = rows(self.app, later, agent.id, self.app.clock.now)
        found += rows(self.app, known, agent.id)
        for (public,) in found:
            key = self.keys.get(bytes(public).hex())
            if key and self.app.verify(key).status == 200:
                agent.key = key
                agent.sign_in()
                return
        assert name != "mod"
        self._made += 1
        self._join(name, f"{name} {self._made}")

    def deadlines(self) -> list[int]:
        """When something ends by itself within some days."""
        now = self.app.clock.now
        found = {row[0] for row in rows(self.app, _DEADLINES)} - {None}
        return sorted(at for at in found if now < at < now + 9 * DAY)

    def pass_time(self) -> None:
        """Let time pass: often none, or some milliseconds, or up to about a deadline."""
        clock, at = self.app.clock, self.deadlines()
        step = self.random.choice([*["none"] * 4, *["little"] * 3, "next", "next", "any"])
        if step == "little":
            clock.advance(self.random.choice([1, 20, 2 * SECOND, 5 * MINUTE]))
        elif step != "none" and at:
            end = at[0] if step == "next" else self.random.choice(at[:8])
            seen_by = self.random.choice([0, self.app.apart_ms])
            clock.now = max(clock.now, end - seen_by + self.random.choice([-1, 0, 1]))

    # --- Who does it.

    def _name(self, agent_id: str | None) -> str:
        """The agent with this id, mostly; or anybody."""
        found = [name for name, agent in self.agents.items() if agent.id == agent_id]
        return found[0] if found and self.random.random() < 0.9 else self.random.choice(NAMES)

    def anybody(self) -> str:
        """One of the agents."""
        return self.random.choice(NAMES)

    def amount(self) -> int:
        """A few credits."""
        return self.random.choice([1, 2, 3, 5, 40])

    # --- The calls.

    def batch(self, count: int) -> list[Planned]:
        """So many calls or a few more, mostly about one thread and one job; some are repeated with
        a key, some only tried."""
        if self.random.random() < 0.6:
            self.threads, self.jobs = self.threads[:1], self.jobs[:1]
            of = {thread_id for thread_id, _ in self.threads}
            self.replies = [row for row in self.replies if row[2] in of]
        planned: list[Planned] = []
        if all(job.status not in ("OPEN", "CLAIMED", "SUBMITTED") for job in self.jobs):
            planned.append(self.new_job())
        makers = self._makers()
        weights = [weight for weight, _ in makers]
        while len(planned) < count:
            _, make = self.random.choices(makers, weights)[0]
            call = make()
            copies = self.random.choice([1, 1, 1, 1, 1, 1, 1, 2, 3])
            if copies > 1:
                self._made += 1
                call = call._replace(key=f"again-{self._made}")
            elif self.random.random() < 0.1:
                call = call._replace(dry=True)
            planned += [call] * copies
        self.random.shuffle(planned)
        return planned

    def _makers(self) -> list[tuple[int, Callable[[], Planned]]]:
        found: list[tuple[int, Callable[[], Planned]]] = [
            (2, self.new_thread),
            (3, self.new_job),
            (1, self.account),
            (2, self.keys_of),
            (3, self.agent_act),
            (2, self.report),
        ]
        if self.threads:
            found += [(5, self.reply), (11, self.on_thread), (1, self.hide_thread)]
        if self.replies:
            found += [(13, self.on_reply), (1, self.hide_reply)]
        if self.jobs:
            found += [(30, self.on_job), (1, self.hide_job)]
        if self.held:
            found.append((4, self.release))
        return found

    def new_thread(self) -> Planned:
        """A question, mostly with a bounty."""
        self._made += 1
        body = {
            "title": f"A storm {self._made}",
            "body": f"Question {self._made}?",
            "tags": ["wind"],
        }
        bounty = self.random.choice([None, *range(1, 4)])
        return Planned(self.anybody(), "threads", {**body, "bountyCredits": bounty})

    def new_job(self) -> Planned:
        """An offer under some terms."""
        terms, hours = self.random.choice(_TERMS), self.random.choice([1, 2, 24])
        more = {"terms": terms, "deadlineHours": hours, "tags": ["wind"]}
        return Planned(self.anybody(), "jobs", new_job(self.amount(), **more))

    def reply(self) -> Planned:
        """An answer."""
        self._made += 1
        thread_id, _ = self.random.choice(self.threads)
        return Planned(
            self.anybody(), f"threads/{thread_id}/replies", {"body": f"Answer {self._made}."}
        )

    def on_thread(self) -> Planned:
        """What its author does with a thread."""
        thread_id, author_id = self.random.choice(self.threads)
        actions = ["bounty", "bounty", "bounty", "bounty/withdraw", "bounty/withdraw", "append"]
        action = self.random.choice([*actions, "withdraw"])
        bodies: dict[str, Any] = {
            "bounty": {"credits": self.amount()},
            "append": {"body": "And this."},
        }
        who = self._name(author_id)
        return Planned(who, f"threads/{thread_id}/{action}", bodies.get(action, NOTHING))

    def on_reply(self) -> Planned:
        """Accepts, mostly; or it is withdrawn, or told of."""
        reply_id, author_id, thread_id = self.random.choice(self.replies)
        action = self.random.choice(["accept", "accept", "accept", "withdraw", "outcomes"])
        if action == "accept":
            asker = next(author for asked, author in self.threads if asked == thread_id)
            return Planned(self._name(asker), f"threads/{thread_id}/replies/{reply_id}/accept")
        body = {"result": "worked"} if action == "outcomes" else NOTHING
        who = self._name(author_id) if action == "withdraw" else self.anybody()
        return Planned(who, f"replies/{reply_id}/{action}", body)

    def on_job(self) -> Planned:
        """What fits its state, mostly, by who may."""
        job = self.random.choice(self.jobs)
        by_creator = ["cancel", "raise", "raise", "extend", "append", "assign", "assign"]
        by_others = ["claim", "claim", "claim", "apply", "apply", "apply/withdraw"]
        if job.status != "OPEN" and self.random.random() < 0.9:
            by_creator = ["accept", "accept", "reject", "reject", "raise", "extend"]
            by_others = ["submit", "submit", "submit", "release", "messages"]
        if self.random.random() < 0.5:
            action, who = self.random.choice(by_creator), self._name(job.creator_id)
        else:
            action = self.random.choice(by_others)
            who = self._name(job.claimer_id) if job.claimer_id else self.anybody()
        body: dict[str, Any] = {
            "raise": {"rewardCredits": job.amount / 100 + self.random.choice([0, 1, 2])},
            "extend": {"deadlineHours": self.random.choice([2, 25, 48])},
            "append": {"body": "And this."},
            "assign": {"agentId": self.agents[self.anybody()].id},
            "apply": {"message": "I can."},
            "submit": WORK,
            "reject": REJECTION,
            "messages": {"body": "In which form?"},
        }
        return Planned(who, f"jobs/{job.id}/{action}", body.get(action, NOTHING))

    def hide_thread(self) -> Planned:
        """What a moderator does with a thread."""
        thread_id, _ = self.random.choice(self.threads)
        return self._moderated(thread_id, ["hide", "restore", "restore", "lock", "unlock"])

    def hide_reply(self) -> Planned:
        """What a moderator does with a reply."""
        return self._moderated(self.random.choice(self.replies)[0], ["hide", "restore"])

    def hide_job(self) -> Planned:
        """What a moderator does with a job."""
        return self._moderated(self.random.choice(self.jobs).id, ["hide", "restore", "cancel"])

    def release(self) -> Planned:
        """What a moderator does with what is held, or was."""
        return self._moderated(self.random.choice(self.held), ["release", "release", "hide"])

    def _moderated(self, subject_id: str, actions: list[str]) -> Planned:
        who = "mod" if self.random.random() < 0.95 else self.anybody()
        action = self.random.choice(actions)
        return Planned(who, f"{path(subject_id)}/{action}", {"reason": REASON})

    def agent_act(self) -> Planned:
        """What a moderator does with an agent."""
        action = self.random.choice(["suspend", "reinstate", "reinstate", "revoke-sessions"])
        body: dict[str, Any] = {"reason": REASON}
        if action == "suspend":
            body["until"] = iso(self.app.clock.now + self.random.choice([MINUTE, HOUR, DAY]))
        agent_id = self.agents[self.anybody()].id
        return Planned("mod", f"{path(agent_id)}/{action}", body)

    def report(self) -> Planned:
        """An agent reports something."""
        posts = [*self.threads, *self.replies]
        subject_id = self.random.choice(posts)[0] if posts else self.agents["ada"].id
        kinds = {"th": "thread", "rp": "reply", "ag": "agent"}
        subject = {"type": kinds[subject_id.partition("_")[0]], "id": subject_id}
        return Planned(self.anybody(), "reports", {"subject": subject, "reason": "spam"})

    def account(self) -> Planned:
        """An agent ends its sessions, or retires."""
        who = self.anybody()
        if self.random.random() < 0.5:
            return Planned(who, "auth/revoke", {"all": True})
        return Planned(who, "agents/me/retire", {"confirm": self.agents[who].id})

    def keys_of(self) -> Planned:
        """An agent rotates its key, or one that was named recovers it."""
        who, app = self.random.choice(["ada", "eve"]), self.app
        agent = self.agents[who]
        self._made += 1
        new = Key(f"{who} later {self._made}")
        self.keys[new.public] = new
        action = self.random.choice(["rotate", "recover", "recovery"])
        if action == "rotate":
            return Planned(who, "auth/rotate", key_changes.rotation(app, agent.id, agent.key, new))
        helper = Key(f"recovers {who}")
        if action == "recover":
            return Planned(who, "auth/recover", key_changes.recovery(app, agent.id, helper, new))
        body = key_changes.naming(app, agent.id, agent.key, helper)
        return Planned(who, "agents/me/recovery", body)

    # --- Sending them.

    def sent(self, call: Planned) -> Coroutine[Any, Any, Answer]:
        """One call, to be awaited together with others."""
        where = f"{call.path}?dryRun=true" if call.dry else call.path
        headers = {"Idempotency-Key": call.key} if call.key else {}
        return self.agents[call.who].ask("POST", where, call.body, headers=headers)

    def others(self) -> list[Coroutine[Any, Any, Any]]:
        """What processes and the operator do beside a batch."""
        found: list[Coroutine[Any, Any, Any]] = []
        if self.random.random() < 0.7:
            found = [self.upkeep() for _ in range(self.random.randrange(1, 3))]
        if self.random.random() < 0.06:
            found.append(self.purge())
        return found

    def purge(self) -> Coroutine[Any, Any, bytes]:
        """The operator erases a text, or an agent."""
        posts = [*self.threads, *self.replies]
        subject_id = self.random.choice(posts)[0] if posts else self.agents["dan"].id
        action = "purge" if posts else "forget"
        command = {"command": "do", "action": action, "subject_id": subject_id, "reason": REASON}
        return self.random.choice(self.app.processes).operate(json.dumps(command).encode())

    def upkeep(self) -> Coroutine[Any, Any, None]:
        """Something that a process does by itself."""
        upkeep = self.random.choice(self.app.processes).upkeep
        works = (upkeep.sweep, upkeep.catch_up, upkeep.count_outcomes, upkeep.tell)
        more = (upkeep.index, upkeep.purge, upkeep.notice_acts, upkeep.audit)
        return self.random.choice([upkeep.sweep, upkeep.sweep, upkeep.sweep, *works, *more])()

    def sweep(self) -> None:
        """Both processes do all that is due."""
        for process in self.app.processes:
            self.app.run(process.upkeep.sweep())
