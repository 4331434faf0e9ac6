"""Fills a database with jobs, through the store and without HTTP."""

from pathlib import Path

import msgspec

from stoa.clock import SystemClock
from stoa.domain import credits, limits, tokens
from stoa.domain.credits import Credits
from stoa.domain.digests import digest_of
from stoa.entropy import IdGenerator, random_bytes
from stoa.store import agents, holds, jobs, ledger, opportunities, sessions
from stoa.store.agents import AgentProfile
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.holds import HoldRow
from stoa.store.jobs import JobRow
from stoa.store.tx import Store, Tx

JOBS = 100_000
AGENTS = 2_000
_BATCH = 1000
_REWARD = Credits(100)
_TITLE, _BODY = "Find out", "What is to be known, and how well."


class PaidWorld(msgspec.Struct):
    """Open jobs in the order of their creators, a token of each agent."""

    jobs: list[str]
    tokens: list[str]


async def seed_paid(database: Path) -> PaidWorld:
    """Make a database with `JOBS` open jobs, each of a reward of one credit."""
    sqlite.migrate(database)
    store = await SqliteStore.open(database, SystemClock())
    try:
        return await fill(store, JOBS)
    finally:
        await store.close()


async def fill(store: Store, jobs: int) -> PaidWorld:
    """Put agents and at least so many open jobs into an empty store of either engine."""
    seeder = _Seeder()
    await store.write(seeder.sign_in)
    for _ in range(0, jobs, _BATCH):
        await store.write(seeder.offer)
    return seeder.world


class _Seeder:
    """Writes one batch after another."""

    def __init__(self) -> None:
        self.world = PaidWorld([], [])
        self._ids = IdGenerator()
        self._agents: list[str] = []

    async def sign_in(self, tx: Tx) -> None:
        for place in range(AGENTS):
            agent_id = self._ids.new("ag", tx.now)
            await agents.insert(tx, agent_id, random_bytes(32), AgentProfile(f"agent-{place}"), "")
            token = tokens.mint(random_bytes(tokens.RANDOM_BYTES))
            digest = digest_of(token)
            session_id, expires_at = self._ids.new("ses", tx.now), tx.now + limits.TOKEN_TTL_MS
            await sessions.insert_token(tx, digest, agent_id, session_id, 1, expires_at)
            grant = credits.grant(agent_id, credits.LARGEST)
            await ledger.book(tx, self._ids, grant)
            self._agents.append(agent_id)
            self.world.tokens.append(token)

    async def offer(self, tx: Tx) -> None:
        for _ in range(_BATCH):
            creator = self._agents[len(self.world.jobs) % AGENTS]
            self.world.jobs.append(await offer(tx, self._ids, creator, _TITLE, _BODY, ["sqlite"]))


async def offer(
    tx: Tx, ids: IdGenerator, creator: str, title: str, description: str, tags: list[str]
) -> str:
    """Make an open job of an agent that has credits enough; returns its id."""
    job_id, deadline = ids.new("job", tx.now), tx.now + limits.JOB_TTL_MS
    amount, terms = _REWARD.hundredths, {(tag, True) for tag in tags}
    await ledger.book(tx, ids, credits.hold("job", job_id, creator, _REWARD))
    hold = HoldRow(job_id, "job", job_id, creator, amount, "OPEN", tx.now, deadline)
    await holds.insert(tx, hold)
    await jobs.insert(tx, _row(job_id, creator, title, description, tags, tx.now, deadline))
    await opportunities.insert(tx, "job", job_id, creator, amount, deadline, terms)
    return job_id


def _row(
    job_id: str,
    creator: str,
    title: str,
    description: str,
    tags: list[str],
    now: int,
    deadline: int,
) -> JobRow:
    return JobRow(
        id=job_id,
        type="research",
        status="OPEN",
        title=title,
        description=description,
        creator_id=creator,
        claimer_id=None,
        tags=msgspec.json.encode(tags).decode(),
        requirements="[]",
        acceptance_criteria="[]",
        verification="[]",
        effort_estimate=None,
        amount=_REWARD.hundredths,
        reject_count=0,
        last_reject_reason=None,
        last_reject_message=None,
        submission_count=0,
        latest_submission_id=None,
        created_at=now,
        deadline=deadline,
        claimed_at=None,
        submitted_at=None,
        decided_at=None,
        expired_from=None,
        terms=None,
        claim_expires_at=None,
        decide_by=None,
        accepted_by=None,
        cancelled=0,
        due_at=deadline,
    )
