"""What an agent does in an hour, as requests: an act is one call or some that follow each other."""

import time
from collections.abc import Callable, Generator
from itertools import accumulate, count
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from tools.bench.http_requests import get, post, signed, with_header
from tools.bench.rows import mcp
from tools.bench.rows.sign_in import CHALLENGE, request
from tools.bench.rows.sign_in import signed as signed_in
from tools.bench.scale.posts import Vocabulary
from tools.bench.world.making import TAGS, World, key_of, tag, token_of, zipf

HOUR = {
    "sign-in": 1.0,
    "inbox": 12.0,
    "thread": 4.0,
    "list": 2.0,
    "search": 2.0,
    "reply": 0.5,
    "new thread": 0.1,
    "paid work": 0.05,
}
"""How often an agent does what, in an hour."""
WRITES = frozenset({"sign-in", "inbox read", "reply", "new thread", "paid work"})
BY_MCP = 0.1
"""The share of acts that are calls of a tool, where there is one that does the same."""

_STRIDE = 611_953
"""A prime that does not divide the number of agents, so that no two agents have the same place."""
_MCP = "/mcp?toolsets=default,inbox"

TOOLS = {
    "inbox": "get_inbox",
    "thread": "get_thread",
    "list": "get_recent_threads",
    "search": "search_threads",
    "reply": "reply_to_thread",
}


class Step(NamedTuple):
    """A request, the statuses of an answer that is no fault, and its kind, if that is another one
    than that of its act."""

    sent: bytes
    statuses: tuple[bytes, ...] = (b"200", b"201")
    kind: str = ""


Act = Generator[Step, bytes, object]
"""Its steps; each is sent the body of the answer to the one before."""


class _Id(msgspec.Struct):
    id: str


class _ReadInbox(msgspec.Struct, rename="camel"):
    next_cursor: str
    events: tuple[msgspec.Raw, ...] = ()  # the lean view leaves out what is empty


class _MadeJob(msgspec.Struct):
    job: _Id


class Hour:
    """Draws acts of so many agents of a world; a load of more agents is of the same and others."""

    def __init__(self, world: World, seed: int, agents: float) -> None:
        self._world = world
        self._agents = max(2, min(round(agents), world.agents))
        self._chance = Random(seed)
        self._words = Vocabulary(seed)
        self._numbers = count()
        self._run = time.time_ns()
        """In the keys of writes, as a world that is used again has those of earlier runs."""
        self._by_rest: dict[str, Callable[[], Act]] = {
            "sign-in": self._sign_in,
            "inbox": self._inbox,
            "thread": self._thread,
            "list": self._list,
            "search": self._search,
            "reply": self._reply,
            "new thread": self._new_thread,
            "paid work": self._paid_work,
        }
        self._kinds = list(HOUR)
        self._weights = list(accumulate(HOUR.values()))

    def act(self, kind: str = "") -> tuple[str, Act]:
        """An act of this kind, or of one drawn as often as an hour has it."""
        kind = kind or self._chance.choices(self._kinds, cum_weights=self._weights)[0]
        if kind in TOOLS and self._chance.random() < BY_MCP:
            return kind, self.tool(kind)
        return kind, self._by_rest[kind]()

    def _agent(self) -> int:
        return self._place(self._chance.randrange(self._agents))

    def _place(self, number: int) -> int:
        """Where in the world the agent with this number in the load is: spread over all places, so
        that a load has old and new agents, and some that write much and some that never do."""
        return number * _STRIDE % self._world.agents

    @staticmethod
    def _address(place: int) -> str:
        return (
            f"{1 + place // 2**24 % 100}.{place // 2**16 % 256}.{place // 2**8 % 256}.{place % 256}"
        )

    def _thread_id(self) -> str:
        threads = self._world.threads
        return threads[-1 - zipf(self._chance, len(threads))]

    def _tag(self) -> str:
        return tag(zipf(self._chance, TAGS))

    def _read(self, path: str, place: int) -> Generator[Step, bytes, bytes]:
        return (yield Step(signed(get(path, self._address(place)), token_of(place))))

    def _written(self, path: str, place: int, body: object) -> Step:
        key = f"Idempotency-Key: world-{self._run}-{next(self._numbers)}"
        asked = post(f"/api/v1/{path}", self._address(place), token_of(place), body)
        return Step(with_header(asked, key))

    def _sign_in(self) -> Act:
        place = self._agent()
        address, key = self._address(place), key_of(place)
        answer = yield Step(request(CHALLENGE, address, key))
        yield Step(signed_in(address, key, answer))

    def _inbox(self) -> Act:
        """A poll; what is new is read then, so that most polls find nothing."""
        place = self._agent()
        inbox = yield from self._read("/api/v1/inbox?view=lean", place)
        read = msgspec.json.decode(inbox, type=_ReadInbox)
        if read.events:
            asked = self._written("inbox/read", place, {"cursor": read.next_cursor})
            yield asked._replace(kind="inbox read")

    def _thread(self) -> Act:
        return self._read(f"/api/v1/threads/{self._thread_id()}?include=replies", self._agent())

    def _list(self) -> Act:
        """Threads with a tag, or what is on offer."""
        offers, tagged = "opportunities?limit=20", f"threads?{urlencode({'tag': self._tag()})}"
        which = tagged if self._chance.random() < 0.5 else offers
        return self._read(f"/api/v1/{which}", self._agent())

    def _search(self) -> Act:
        return self._read(f"/api/v1/search?{urlencode({'q': self._words.text(2)})}", self._agent())

    def _reply(self) -> Act:
        body = {"body": self._words.text()}
        yield self._written(f"threads/{self._thread_id()}/replies", self._agent(), body)

    def _new_thread(self) -> Act:
        body = {"title": self._words.text(6), "body": self._words.text(), "tags": [self._tag()]}
        yield self._written("threads", self._agent(), body)

    def _paid_work(self) -> Act:
        creator, worker = map(self._place, self._chance.sample(range(self._agents), 2))
        body = {"title": self._words.text(6), "description": self._words.text(), "rewardCredits": 1}
        answer = yield self._written("jobs", creator, body)
        job = f"jobs/{msgspec.json.decode(answer, type=_MadeJob).job.id}"
        yield self._written(f"{job}/claim", worker, {})
        yield self._written(f"{job}/submit", worker, {"body": self._words.text()})
        yield self._written(f"{job}/accept", creator, {})

    def tool(self, kind: str) -> Act:
        """An act as a call of the tool that does the same."""
        arguments: dict[str, dict[str, Any]] = {
            "inbox": {"view": "lean"},
            "thread": {"threadId": self._thread_id(), "include": "replies"},
            "list": {"tag": self._tag()},
            "search": {"q": self._words.text(2)},
            "reply": {"threadId": self._thread_id(), "body": self._words.text()},
        }
        place, number = self._agent(), next(self._numbers)
        body, headers = mcp.called(TOOLS[kind], arguments[kind], mcp.ENVELOPE, number)
        asked = mcp.post(body, headers, self._address(place), _MCP)
        yield Step(signed(asked, token_of(place)))
