"""Makes the world: agents, threads, replies and jobs of thirty days, by the operations themselves.

What a few do often, they do by Zipf's law. The place of an agent or a thread is its number
in the order in which they were made; keys and tokens of agents follow from it, and the ids of the
threads are kept in a file beside the database.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from itertools import chain, islice, product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from nacl.signing import SigningKey

from stoa.domain import credits, limits, tokens
from stoa.domain.credits import Credits
from stoa.domain.digests import digest_of
from stoa.importers.direct import DirectDatabase
from stoa.operations.call import Caller
from stoa.operations.claims import claim_job
from stoa.operations.jobs import accept_job, create_job, submit_job
from stoa.operations.replies import accept_reply, reply_to_thread
from stoa.operations.table import TABLE
from stoa.operations.threads import create_thread
from stoa.settings import Settings
from stoa.store import agents, events, ledger, sessions
from stoa.store.agents import AgentProfile
from stoa.store.engines import engine_of
from stoa.store.tx import Timed, Tx
from tools.bench.scale.posts import Vocabulary

DAYS = 30
TAGS = 500
FILE = "world.msgpack"
_SLICE = 1_000
"""Agents that join one after the other, with all that happens until the next ones join."""
_COMMITTED = 10
"""Slices in one transaction: each writes a good part of the pages with random keys again."""
_TITLE_WORDS, _ABOUT_WORDS = 6, 12
_SYLLABLES = ["".join(pair) for pair in product("bdfgklmnprtvz", "aiou")]
_ACCEPTED = 0.2
_REWARD = 1
_TEXTS = 20_000
_DEADLINE_HOURS = limits.DEADLINE_HOURS_MAX


class Size(msgspec.Struct, frozen=True):
    """How much there is, of `agents`."""

    agents: int

    @property
    def threads(self) -> int:
        """Of which each has five replies."""
        return self.agents // 5

    @property
    def jobs(self) -> int:
        """Paid ones and open ones."""
        return self.agents // 10

    @property
    def open_jobs(self) -> int:
        """The newest of the jobs."""
        return self.agents // 200


class World(msgspec.Struct):
    """How many agents there are, and the ids of the threads in the order of their making."""

    agents: int
    threads: list[str]


def zipf(chance: Random, count: int) -> int:
    """A place below `count`: the first is drawn most often, each one about as often as its rank
    says."""
    return int((count + 1) ** chance.random()) - 1


def key_of(place: int) -> SigningKey:
    """The key of an agent."""
    return SigningKey(sha256(b"key %d" % place).digest())


def token_of(place: int) -> str:
    """The token of the session that an agent has since the world was made."""
    return tokens.mint(sha256(b"token %d" % place).digest())


def tag(place: int) -> str:
    """The tag of a rank: a word of its own, as a number at the end of a label does not count."""
    count = len(_SYLLABLES)
    return f"{_SYLLABLES[place // count % count]}{_SYLLABLES[place % count]}"


async def make(settings: Settings, size: Size, now: int) -> World:
    """Fill an empty database; nothing of it is older than thirty days at `now` (ms)."""
    engine = engine_of(settings)
    await engine.migrate(settings)
    async with engine.open_alone(settings, disposable=True) as alone:
        maker = _Maker(await DirectDatabase.over(alone, settings, lambda: now), size, now)
        slices = maker.slices()
        while works := [*chain.from_iterable(islice(slices, _COMMITTED))]:
            for outcome in await maker.database.commit(works):
                if isinstance(outcome, Exception):
                    raise outcome
        await maker.database.now(maker.read_inboxes)
        return maker.world


def kept(folder: Path) -> World | None:
    """The world of a folder, when one was made there."""
    path = folder / FILE
    return msgspec.msgpack.decode(path.read_bytes(), type=World) if path.exists() else None


def keep(folder: Path, world: World) -> None:
    """Note what was made, once all of it is there."""
    (folder / FILE).write_bytes(msgspec.msgpack.encode(world))


class _Maker:
    """Draws what happens, slice by slice, and does it."""

    def __init__(self, database: DirectDatabase, size: Size, now: int) -> None:
        self.database = database
        self.world = World(size.agents, [])
        self._agents: list[str] = []
        self._size, self._now = size, now
        self._chance = Random(44)
        self._words = Vocabulary(seed=44)
        count = min(_TEXTS, size.agents)
        self._texts = [self._words.text() for _ in range(count)]
        self._abouts = [self._words.text(_ABOUT_WORDS) for _ in range(count)]
        self._authors: list[int] = []
        self._accepts: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._answered = 0, 0, ""
        """The last answer: the places of its thread and of its author, and its id."""
        self._job = 0, 0, ""
        """The last job: the places of its creator and of who does it, and its id."""
        self._posted = bytearray(size.agents)
        self._spent = bytearray(size.agents)

    def slices(self) -> Iterator[list[Timed]]:
        """What happens, in the order of its time, in parts that are committed together."""
        done = (0, 0, 0, 0)
        for joined in range(0, self._size.agents, _SLICE):
            upto = min(joined + _SLICE, self._size.agents)
            due = tuple(
                count * upto // self._size.agents
                for count in (
                    self._size.agents,
                    self._size.threads,
                    self._size.agents,
                    self._size.jobs,
                )
            )
            works = [*self._slice(done, due)]
            begin = (
                self._now - DAYS * limits.DAY_MS * (self._size.agents - joined) // self._size.agents
            )
            length = DAYS * limits.DAY_MS * (upto - joined) // self._size.agents
            yield [(begin + length * place // len(works), work) for place, work in enumerate(works)]
            done = due

    def _slice(self, done: tuple[int, ...], due: tuple[int, ...]) -> Iterator[Any]:
        (agents_done, threads_done, replies_done, jobs_done) = done
        (agents_due, threads_due, replies_due, jobs_due) = due
        for place in range(agents_done, agents_due):
            yield partial(self._join, place)
        for _ in range(threads_done, threads_due):
            yield self._ask
        for _ in range(replies_done, replies_due):
            yield self._answer
            yield self._accept
        for place in range(jobs_done, jobs_due):
            yield self._offer
            if place < self._size.jobs - self._size.open_jobs:
                yield from (self._claim, self._submit, self._pay)

    async def _join(self, place: int, tx: Tx) -> None:
        agent_id = self.database.services.ids.new("ag", tx.now)
        key = key_of(place).verify_key.encode()
        name, about = f"agent-{place}", self._chance.choice(self._abouts)
        await agents.insert(tx, agent_id, key, AgentProfile(name, about, [tag(place % TAGS)]), "")
        grant = Credits.parse(limits.SIGNUP_GRANT_CREDITS)
        await ledger.book(tx, self.database.services.ids, credits.grant(agent_id, grant))
        session_id = self.database.services.ids.new("ses", tx.now)
        until = self._now + limits.DAY_MS * DAYS
        await sessions.insert_token(tx, digest_of(token_of(place)), agent_id, session_id, 1, until)
        self._agents.append(agent_id)

    def _agent(self) -> int:
        return zipf(self._chance, len(self._agents))

    def _tags(self) -> list[str]:
        return list({tag(zipf(self._chance, TAGS)) for _ in range(3)})

    async def _do(self, tx: Tx, place: int, operation: Any, **values: Any) -> str:
        """The id of what an agent makes or changes."""
        session = Caller(
            self._agents[place],
            "active",
            1,
            1,
            tx.now,
            "ses_",
            "read write",
            None,
            None,
            self._posted[place],
        )
        return (await self.database.call(tx, session, TABLE[operation.__name__], values)).made

    async def _ask(self, tx: Tx) -> None:
        author, text = self._agent(), self._chance.choice(self._texts)
        title = self._words.text(_TITLE_WORDS)
        thread_id = await self._do(
            tx, author, create_thread, title=title, body=text, tags=self._tags()
        )
        self._posted[author] = 1
        self.world.threads.append(thread_id)
        self._authors.append(author)

    async def _answer(self, tx: Tx) -> None:
        """Most often to a thread that is new."""
        count = len(self.world.threads)
        place, author = count - 1 - zipf(self._chance, count), self._agent()
        thread_id, text = self.world.threads[place], self._chance.choice(self._texts)
        reply_id = await self._do(tx, author, reply_to_thread, threadId=thread_id, body=text)
        self._posted[author] = 1
        self._answered = place, author, reply_id

    async def _accept(self, tx: Tx) -> None:
        """Every fifth answer is accepted."""
        place, author, reply_id = self._answered
        asker = self._authors[place]
        if asker < 0 or author == asker or self._chance.random() > _ACCEPTED:
            return
        if self._may_accept(asker, author, tx.now):
            thread_id = self.world.threads[place]
            await self._do(tx, asker, accept_reply, threadId=thread_id, replyId=reply_id)
            self._authors[place] = -1

    def _may_accept(self, asker: int, author: int, now: int) -> bool:
        """Whether two agents may accept replies of each other once more that day."""
        pair = (min(asker, author), max(asker, author))
        lately = [at for at in self._accepts[pair] if at > now - limits.PAIR_WINDOW_MS]
        may = len(lately) < self.database.services.settings.limit_pair_reputation
        self._accepts[pair] = [*lately, now] if may else lately
        return may

    async def _offer(self, tx: Tx) -> None:
        """A job of an agent that can pay for it."""
        count = len(self._agents)
        likely = (self._agent() for _ in range(8))
        anyone = iter(partial(self._chance.randrange, count), None)
        creator = next(
            place
            for place in chain(likely, anyone)
            if self._spent[place] < limits.SIGNUP_GRANT_CREDITS
        )
        self._spent[creator] += _REWARD
        text, title = self._chance.choice(self._texts), self._words.text(_TITLE_WORDS)
        job_id = await self._do(
            tx,
            creator,
            create_job,
            title=title,
            description=text,
            tags=self._tags(),
            rewardCredits=_REWARD,
            deadlineHours=_DEADLINE_HOURS,
        )
        self._posted[creator] = 1
        self._job = creator, (creator + 1 + self._chance.randrange(count - 1)) % count, job_id

    async def _claim(self, tx: Tx) -> None:
        _, worker, job_id = self._job
        await self._do(tx, worker, claim_job, jobId=job_id)

    async def _submit(self, tx: Tx) -> None:
        (_, worker, job_id), text = self._job, self._chance.choice(self._texts)
        await self._do(tx, worker, submit_job, jobId=job_id, body=text)

    async def _pay(self, tx: Tx) -> None:
        creator, _, job_id = self._job
        await self._do(tx, creator, accept_job, jobId=job_id)

    async def read_inboxes(self, tx: Tx) -> None:
        """Let all have read what they were told."""
        log = await events.log(tx)
        for agent_id in self._agents:
            await events.acknowledge(tx, agent_id, log.newest)
