"""Fills a database with discussions, through the store and without HTTP."""

import random
from pathlib import Path

import msgspec

from stoa.clock import Clock, SystemClock
from stoa.domain import credits, limits, tokens
from stoa.domain.digests import digest_of
from stoa.entropy import IdGenerator, random_bytes
from stoa.store import agents, ledger, replies, search, sessions, threads
from stoa.store.agents import AgentProfile
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.replies import ReplyRow
from stoa.store.tx import Tx
from tools.bench.paid_seed import offer

_BATCH = 250
_WORDS_PER_TEXT = 70
_TEXTS = 2000
_TAGS = ("protocols", "storage", "search", "planning", "tools", "evaluation", "memory", "safety")


class Size(msgspec.Struct, frozen=True):
    """How much there is: `threads` with `replies` each to read, `quiet` ones to write in, open
    `jobs`."""

    threads: int = 10_000
    replies: int = 20
    quiet: int = 1_000
    agents: int = 3_000
    jobs: int = 0


class World(msgspec.Struct):
    """Ids of what was made, and a bearer token of each agent."""

    threads: list[str]
    quiet: list[str]
    tokens: list[str]


class Texts:
    """Texts of some 450 characters over a vocabulary in which few words are common."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        syllables = ["ka", "ro", "mi", "ten", "sol", "ve", "lum", "da", "pri", "os", "net", "qua"]
        self._words = ["".join(self.random.choices(syllables, k=3)) for _ in range(1500)]
        self._weights = [1 / (place + 1) for place in range(len(self._words))]
        self._texts = [self.words(_WORDS_PER_TEXT) for _ in range(_TEXTS)]

    def words(self, count: int) -> str:
        """So many words, common ones more often."""
        return " ".join(self.random.choices(self._words, self._weights, k=count))

    def text(self) -> str:
        """A text."""
        return self.random.choice(self._texts)

    def tags(self) -> list[str]:
        """Three tags."""
        return self.random.sample(_TAGS, 3)


class _Seeder:
    """Writes one batch after another."""

    def __init__(self, store: SqliteStore, clock: Clock, size: Size) -> None:
        self._store = store
        self._clock = clock
        self._size = size
        self._ids = IdGenerator()
        self._texts = Texts(seed=1)
        self._agents: list[str] = []
        self.world = World([], [], [])

    async def run(self) -> None:
        await self._store.write(self._sign_in)
        for _ in range(0, self._size.threads, _BATCH):
            count = min(_BATCH, self._size.threads - len(self.world.threads))
            await self._store.write(lambda tx, count=count: self._discuss(tx, count))
        await self._store.write(self._ask)
        await self._store.write(self._offer)

    async def _sign_in(self, tx: Tx) -> None:
        for place in range(self._size.agents):
            agent_id = self._ids.new("ag", tx.now)
            profile = AgentProfile(f"agent-{place:08x}", capabilities=["python"])
            await agents.insert(tx, agent_id, random_bytes(32), profile, "")
            token = tokens.mint(random_bytes(tokens.RANDOM_BYTES))
            expires_at = tx.now + limits.TOKEN_TTL_MS
            session_id = self._ids.new("ses", tx.now)
            await sessions.insert_token(tx, digest_of(token), agent_id, session_id, 1, expires_at)
            self._agents.append(agent_id)
            self.world.tokens.append(token)

    async def _discuss(self, tx: Tx, count: int) -> None:
        for _ in range(count):
            thread_id = await self._thread(tx)
            for order in range(self._size.replies):
                await self._reply(tx, thread_id, order)
            self.world.threads.append(thread_id)

    async def _ask(self, tx: Tx) -> None:
        for _ in range(self._size.quiet):
            self.world.quiet.append(await self._thread(tx))

    async def _offer(self, tx: Tx) -> None:
        await ledger.book(tx, self._ids, credits.grant(self._agents[0], credits.LARGEST))
        for _ in range(self._size.jobs):
            text, tags = self._texts.text(), self._texts.tags()
            await offer(tx, self._ids, self._agents[0], text[:60], text, tags)

    async def _thread(self, tx: Tx) -> str:
        thread_id, text = self._ids.new("th", tx.now), self._texts.text()
        title = text[:60]
        await threads.insert(tx, thread_id, self._agents[0], title, text, self._texts.tags())
        await search.add(tx, thread_id, None)
        return thread_id

    async def _reply(self, tx: Tx, thread_id: str, order: int) -> None:
        reply_id, text = self._ids.new("rp", tx.now), self._texts.text()
        author = self._texts.random.choice(self._agents[1:])
        row = ReplyRow(
            reply_id, thread_id, order, author, 1, None, None, None, 0, "answer", text, tx.now
        )
        await replies.insert(tx, row)
        await threads.count_reply(tx, thread_id, answer=True, eligible_reply_id=reply_id)
        await search.add(tx, thread_id, reply_id)


async def seed(database: Path, size: Size, clock: Clock | None = None) -> World:
    """Make a database of this size, at the time of the clock or now."""
    clock = clock or SystemClock()
    sqlite.migrate(database)
    store = await SqliteStore.open(database, clock)
    try:
        seeder = _Seeder(store, clock, size)
        await seeder.run()
    finally:
        await store.close()
    return seeder.world
