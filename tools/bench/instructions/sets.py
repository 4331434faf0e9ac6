"""The sets of requests whose instructions are counted."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import count, cycle, islice
from typing import NamedTuple

import msgspec
from nacl.signing import SigningKey

from tests.support.clock import SECOND, START
from tools.bench.http_requests import get, post, signed, with_header
from tools.bench.instructions.wire import Clients, content
from tools.bench.rows import mcp, oauth, sign_in
from tools.bench.rows.reads import thread_path
from tools.bench.seed import Texts, World

Send = Callable[[int], Awaitable[None]]
"""Sends so many requests of a set, behind those that it sent before."""

_LISTS = ("threads", "opportunities", "agents", "jobs")
_LIST_LENGTH = 20
_INBOX = "/api/v1/inbox?view=lean"
_SIGN_INS = 48
_TAG, _LINE_END = b"etag: ", b"\r\n"


class Set(NamedTuple):
    """A name, how many requests are counted, and what sends them. As many are sent before, so that
    what the first ones load or fill does not count."""

    name: str
    number: int
    send: Send


async def sets(clients: Clients, world: World) -> list[Set]:
    """All of them, in the order in which they are sent: writes come last."""
    return [
        *await _reads(clients, world),
        *_lists(clients, world),
        *_writes(clients, world),
        *await _sign_ins(clients),
    ]


async def _reads(clients: Clients, world: World) -> list[Set]:
    path, page = thread_path(world.threads[0]), f"/forum/threads/{world.threads[0]}"
    tag = (await clients.ask(next(_gets([path])))).partition(_TAG)[2].partition(_LINE_END)[0]
    known = (with_header(request, f"If-None-Match: {tag.decode()}") for request in _gets([path]))
    spread, first = world.threads[:20], world.threads[20:]
    return [
        Set("hot thread read", 200, _in_turn(clients, _gets([path]))),
        Set("not modified", 200, _in_turn(clients, known)),
        Set("spread thread reads", 100, _in_turn(clients, _gets(map(thread_path, spread)))),
        Set("first thread reads", 100, _in_turn(clients, _gets(map(thread_path, first)))),
        Set("MCP thread read", 100, _in_turn(clients, _calls(world.threads[0]))),
        Set("thread reads with a token", 100, _in_turn(clients, _own([path], world.tokens[:50]))),
        Set("inboxes without news", 100, _in_turn(clients, _own([_INBOX], world.tokens[:50]))),
        Set("first inboxes", 30, _in_turn(clients, _own([_INBOX], world.tokens[60:]))),
        Set("thread page", 100, _in_turn(clients, _gets([page]))),
        Set(
            "first thread pages",
            8,
            _in_turn(clients, _gets(f"/forum/threads/{one}" for one in first)),
        ),
        Set("list and market pages", 10, _in_turn(clients, _gets(["/forum", "/market"]))),
    ]


def _lists(clients: Clients, world: World) -> list[Set]:
    texts = Texts(seed=4)
    searches = (f"/api/v1/search?q={texts.words(2).replace(' ', '+')}" for _ in count())
    recommended = f"/api/v1/opportunities/recommended?limit={_LIST_LENGTH}"
    lists = [f"/api/v1/{name}?limit={_LIST_LENGTH}" for name in _LISTS]
    lengths = (f"/api/v1/threads?limit={_LIST_LENGTH + more}" for more in range(2 * _LIST_LENGTH))
    return [
        Set("lists", 200, _in_turn(clients, _gets(lists))),
        Set("first lists of threads", _LIST_LENGTH, _in_turn(clients, _gets(lengths))),
        Set("searches", 30, _in_turn(clients, _gets(searches))),
        Set("recommended opportunities", 20, _in_turn(clients, _own([recommended], world.tokens))),
    ]


def _writes(clients: Clients, world: World) -> list[Set]:
    return [
        Set("durable replies", 48, _at_once(clients, _replies(world))),
        Set("paid cycles of four calls", 16, _cycles(clients, world)),
    ]


async def _sign_ins(clients: Clients) -> list[Set]:
    """Those of a few keys again and again, signed before anything is counted."""
    keys = [SigningKey(bytes([place]) * 32) for place in range(8)]
    asked = list(islice(zip(cycle(keys), _addresses(), strict=False), 2 * _SIGN_INS))
    challenges = [sign_in.request(sign_in.CHALLENGE, address, key) for key, address in asked]
    answers = [content(answer) for answer in await clients.ask_at_once(challenges)]
    verifying = [
        sign_in.signed(address, key, answer)
        for (key, address), answer in zip(asked, answers, strict=True)
    ]
    claimed = (oauth.claimed(clients.origin, START // SECOND) for _ in asked)
    requests = [oauth.request(*one, next(claimed)) for one in asked]
    return [
        Set("challenges", _SIGN_INS, _in_turn(clients, cycle(challenges))),
        Set("sign-ins with a key", _SIGN_INS, _at_once(clients, iter(verifying))),
        Set("sign-ins by client credentials", _SIGN_INS, _at_once(clients, iter(requests))),
    ]


def _in_turn(clients: Clients, requests: Iterator[bytes]) -> Send:
    async def send(number: int) -> None:
        for request in islice(requests, number):
            await clients.ask(request)

    return send


def _at_once(clients: Clients, requests: Iterator[bytes]) -> Send:
    async def send(number: int) -> None:
        await clients.ask_at_once(list(islice(requests, number)))

    return send


def _gets(paths: Iterable[str]) -> Iterator[bytes]:
    """Reads of these paths again and again, each from another address."""
    return map(get, cycle(paths), _addresses())


def _own(paths: Iterable[str], tokens: Sequence[str]) -> Iterator[bytes]:
    """Reads of these paths by one agent after the other."""
    return map(signed, _gets(paths), cycle(tokens))


def _addresses() -> Iterator[str]:
    return (f"9.9.{place // 256}.{place % 256}" for place in range(256 * 256))


def _calls(thread: str) -> Iterator[bytes]:
    messages = (mcp.message(thread, mcp.ENVELOPE, number) for number in count())
    return (
        mcp.post(*message, address)
        for message, address in zip(messages, _addresses(), strict=False)
    )


def _replies(world: World) -> Iterator[bytes]:
    texts = Texts(seed=5)
    for thread, token, address in zip(
        cycle(world.quiet), cycle(world.tokens[1:]), _addresses(), strict=False
    ):
        yield post(f"/api/v1/threads/{thread}/replies", address, token, {"body": texts.text()})


def _cycles(clients: Clients, world: World) -> Send:
    """Jobs of one agent, each claimed and finished by another."""
    creator, workers = world.tokens[0], cycle(world.tokens[1:])
    offer = {"title": "Measure it", "description": "Say how much.", "rewardCredits": 1}

    async def send(number: int) -> None:
        offers = [post("/api/v1/jobs", "9.9.9.9", creator, offer) for _ in range(number)]
        jobs = [_job(answer) for answer in await clients.ask_at_once(offers)]
        own = list(islice(workers, number))
        await clients.ask_at_once(list(map(_step, jobs, cycle(["claim"]), own, cycle([{}]))))
        work = {"body": "As little as possible."}
        await clients.ask_at_once(list(map(_step, jobs, cycle(["submit"]), own, cycle([work]))))
        await clients.ask_at_once([_step(job, "accept", creator, {}) for job in jobs])

    return send


def _step(job: str, step: str, token: str, body: dict[str, str]) -> bytes:
    return post(f"/api/v1/jobs/{job}/{step}", "9.9.9.9", token, body)


def _job(answer: bytes) -> str:
    """The id of the job that was made."""
    job: str = msgspec.json.decode(content(answer))["job"]["id"]
    return job
