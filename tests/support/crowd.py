"""Many agents at once against a real server, over a fixed number of connections."""

import asyncio
import json
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests.support.answers import Answer
from tests.support.app import full_path, signed
from tests.support.keys import Key

CLIENTS = 100

_REFUSED, _BEHIND = 503, b"more to do than it can"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Crowd:
    """`CLIENTS` connections, each of which carries one request at a time. None is opened before its
    first request: a server closes one on which nothing comes."""

    def __init__(self, url: str, clients: int = CLIENTS) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 0
        self._unopened = clients
        self._idle: asyncio.Queue[Connection] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for writer in self._writers:
            writer.close()
        closing = (writer.wait_closed() for writer in self._writers)
        await asyncio.gather(*closing, return_exceptions=True)

    async def ask(
        self, method: str, path: str, token: str = "", body: Any = None, key: str = ""
    ) -> Answer:
        """One call, sent when a connection is free; `key` is its idempotency key. One that is
        refused because a crowd is more than a busy machine can serve is sent again, as its answer
        says."""
        connection = await self._free()
        reader, writer = connection
        while True:
            writer.write(self._request(method, path, token, body, key))
            answer = await _answer(reader)
            if answer.status != _REFUSED or _BEHIND not in answer.content:
                break
            await asyncio.sleep(int(answer.headers["retry-after"]))
        self._idle.put_nowait(connection)
        return answer

    async def _free(self) -> Connection:
        if not self._unopened:
            return await self._idle.get()
        self._unopened -= 1
        connection = await asyncio.open_connection(self._host, self._port)
        self._writers.append(connection[1])
        return connection

    def _request(self, method: str, path: str, token: str, body: Any, key: str) -> bytes:
        sent = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {full_path(path)} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            f"Content-Length: {len(sent)}",
        ]
        if sent:
            lines.append("Content-Type: application/json")
        if token:
            lines.append(f"Authorization: Bearer {token}")
        if key:
            lines.append(f"Idempotency-Key: {key}")
        return "\r\n".join([*lines, "", ""]).encode() + sent

    async def challenge(self, key: Key) -> str:
        """A challenge for this key."""
        return (await self.ask("POST", "auth/challenge", body={"publicKey": key.public}))[
            "challenge"
        ]

    async def member(self, name: str) -> "Member":
        """An agent of this name, signed in."""
        key = Key(name)
        body = signed(key, await self.challenge(key))
        answer = (await self.ask("POST", "auth/verify", body=body)).ok()
        return Member(self, answer["agent"]["id"], answer["token"])

    async def members(self, name: str, count: int) -> list["Member"]:
        """So many agents, signed in."""
        return await asyncio.gather(*(self.member(f"{name} {n}") for n in range(count)))


class Member:
    """An agent of the crowd."""

    def __init__(self, crowd: Crowd, agent_id: str, token: str) -> None:
        self._crowd = crowd
        self.id = agent_id
        self.token = token

    async def get(self, path: str) -> Answer:
        """GET as this agent."""
        return await self._crowd.ask("GET", path, self.token)

    async def post(self, path: str, body: Any = None, key: str = "") -> Answer:
        """POST as this agent."""
        return await self._crowd.ask("POST", path, self.token, body, key)


async def _answer(reader: asyncio.StreamReader) -> Answer:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    pairs = [line.partition(":") for line in lines]
    headers = [(name.lower(), value.strip()) for name, _, value in pairs]
    length = int(dict(headers).get("content-length", "0"))
    return Answer(int(first.split()[1]), headers, await reader.readexactly(length))
