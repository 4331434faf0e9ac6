"""Addresses that agents name are reached over https, if they are public, and within bounds."""

import asyncio
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from stoa.domain.addresses import parse_networks
from stoa.outgoing import exchange
from stoa.outgoing.client import Outgoing
from stoa.outgoing.reach import NotAllowed
from stoa.outgoing.response import AddressUnreachable, Response
from stoa.server.beginning import StartedCall
from tests.support.certificates import make_certificate

LOOPBACK = parse_networks(["127.0.0.0/8", "::1"])
NO_ANSWER = (
    "The server cannot be reached at a public address, has no valid certificate or does not speak "
    "HTTP."
)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Listener:
    """A server on the loopback, with the requests that came in."""

    def __init__(self, serve: Serve) -> None:
        self.serve = serve
        self.heads: list[str] = []
        self.port = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Note the request and serve it."""
        try:
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            await self.serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Listener]:
    """A listener while the block runs."""
    listener = Listener(serve)
    server = await asyncio.start_server(listener, "127.0.0.1", 0, ssl=tls)
    listener.port = server.sockets[0].getsockname()[1]
    try:
        yield listener
    finally:
        server.close()


def saying(answer: bytes) -> Serve:
    """Answers with these bytes."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    return serve


ANSWERING = saying(OK)


def names(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let names have these addresses, one look-up after another, the last for ever; returns the
    names that were looked up."""
    asked: list[str] = []

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        address = addresses[min(len(asked), len(addresses)) - 1]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


async def unreachable(outgoing: Outgoing, url: str) -> str:
    """Why there is no response."""
    with pytest.raises(AddressUnreachable) as refused:
        await outgoing.get(url)
    return str(refused.value)


async def not_allowed(outgoing: Outgoing, url: str) -> str:
    """Why there is no response, from an address that was not even connected to."""
    with pytest.raises(AddressUnreachable) as refused:
        await outgoing.get(url)
    assert isinstance(refused.value.__cause__, NotAllowed)
    return str(refused.value)


PRIVATE = [
    "127.0.0.1",
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "127.1",
    "0",
    "0.0.0.0",  # noqa: S104
    "10.0.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "localhost",
]


@pytest.mark.promise("G1")
@pytest.mark.parametrize("host", PRIVATE)
def test_no_private_address_is_connected_to_however_it_is_written(host: str) -> None:
    async def run() -> None:
        async with listening(saying(OK)) as listener:
            await not_allowed(Outgoing(), f"https://{host}:{listener.port}/")
            assert listener.heads == []

    asyncio.run(run())


def test_an_allowed_private_address_is_reached_over_http() -> None:
    """The control of the test before: this listener does answer."""

    async def run() -> Response:
        async with listening(saying(OK)) as listener:
            url, wanted = f"http://2130706433:{listener.port}/doc?x=1", {"Accept": "text/plain"}
            answer = await Outgoing(LOOPBACK).get(url, wanted)
            assert "\r\naccept: text/plain\r\n" in listener.heads[0].lower()
            return answer

    assert asyncio.run(run())[0::2] == (200, b"{}")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00:ec2::254"]
)
def test_a_name_with_a_private_address_is_not_reached(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    asked = names(monkeypatch, address)
    asyncio.run(not_allowed(Outgoing(), "https://metadata.google.internal/"))
    assert asked == ["metadata.google.internal"]


@pytest.mark.promise("G2")
def test_a_name_that_changes_its_address_is_looked_up_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was checked is connected to: a second look-up would be led elsewhere."""
    asked = names(monkeypatch, "127.0.0.1", "10.9.9.9")

    async def run() -> Response:
        async with listening(saying(OK)) as listener:
            return await Outgoing(LOOPBACK).get(f"http://rebind.example:{listener.port}/")

    assert asyncio.run(run()).status == 200
    assert asked == ["rebind.example"]


def test_a_name_with_one_private_address_among_others_is_not_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def look_up(_: str, port: int, **__: Any) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("93.184.216.34", "1.1.1.1", "8.8.8.8", "127.0.0.1")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    asyncio.run(not_allowed(Outgoing(), "https://two.example/"))


HOSTS = {"missing.example": "", "private.example": "10.0.0.1", "other.example": "169.254.169.254"}


def told_of_hosts(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What is told of names that do not exist or have a private address."""

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        if not HOSTS[host]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOSTS[host], port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return {asyncio.run(unreachable(Outgoing(), f"https://{host}/")) for host in HOSTS}


@pytest.mark.promise("G27")
def test_a_refusal_does_not_tell_a_private_name_from_one_that_does_not_exist(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert told_of_hosts(monkeypatch) == {NO_ANSWER}


def test_a_refusal_that_gave_its_cause_would_tell_them_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control of the test above."""

    class Telling(AddressUnreachable):
        def __str__(self) -> str:
            return str(self.__cause__)

    monkeypatch.setattr(exchange, "AddressUnreachable", Telling)
    assert len(told_of_hosts(monkeypatch)) > 1


def test_a_refusal_does_not_tell_a_closed_port_from_one_without_tls() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            assert await unreachable(Outgoing(LOOPBACK), f"https://127.0.0.1:{port}/") == NO_ANSWER
        assert await unreachable(Outgoing(LOOPBACK), f"https://127.0.0.1:{port}/") == NO_ANSWER

    asyncio.run(run())


@pytest.mark.parametrize(
    "url",
    [
        "http://93.184.216.34/",
        "ftp://client.example/",
        "file:///etc/passwd",
        "https:///nowhere",
        "https://user:password@client.example/",
        "https://client.example:0/",
        "https://client.example:99999/",
        "https://client.example/a b",
        "https://client.example/\r\nX-Injected: 1",
        "https://clïent.example/",
        "",
    ],
)
def test_only_addresses_of_https_are_reached(url: str) -> None:
    assert "must begin with https://" in asyncio.run(unreachable(Outgoing(), url))


def test_http_is_not_spoken_outside_the_allowed_networks() -> None:
    asyncio.run(not_allowed(Outgoing(LOOPBACK), "http://93.184.216.34/"))


def test_a_redirect_is_not_followed() -> None:
    async def run() -> None:
        async with listening(saying(OK)) as inner:
            away = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{inner.port}/\r\n"
            async with listening(saying(f"{away}Content-Length: 0\r\n\r\n".encode())) as outer:
                answer = await Outgoing(LOOPBACK).get(f"http://127.0.0.1:{outer.port}/")
            assert answer.status == 302
            assert inner.heads == []

    asyncio.run(run())


@pytest.mark.promise("G3")
@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
def test_a_server_that_stalls_is_given_up(answer: bytes) -> None:
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await reader.read()

    async def run() -> str:
        async with listening(stall) as listener:
            return await unreachable(
                Outgoing(LOOPBACK, most_ms=300), f"http://127.0.0.1:{listener.port}/"
            )

    assert "did not answer within" in asyncio.run(run())


@pytest.mark.promise("G4")
def test_a_server_that_sends_without_end_is_cut_off() -> None:
    sent = 0

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 65536

    async def run() -> str:
        async with listening(flood) as listener:
            return await unreachable(Outgoing(LOOPBACK), f"http://127.0.0.1:{listener.port}/")

    assert "more than 64 KiB" in asyncio.run(run())
    assert sent < 50_000_000


@pytest.mark.parametrize(
    ("begin", "piece"),
    [(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), (b"HTTP/1.1 200 OK\r\n", b"a:\r\n")],
)
def test_a_head_without_end_is_cut_off(begin: bytes, piece: bytes) -> None:
    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        while True:
            writer.write(piece * 1_000)
            await writer.drain()

    async def run() -> str:
        async with listening(flood) as listener:
            return await unreachable(Outgoing(LOOPBACK), f"http://127.0.0.1:{listener.port}/")

    assert "or 16 KiB of headers" in asyncio.run(run())


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"220 smtp.example ESMTP\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
)
def test_a_server_that_lies_about_its_answer_is_refused(answer: bytes) -> None:
    async def run() -> str:
        async with listening(saying(answer)) as listener:
            return await unreachable(Outgoing(LOOPBACK), f"http://127.0.0.1:{listener.port}/")

    assert "does not speak HTTP" in asyncio.run(run())


def test_a_compressed_answer_stays_compressed() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"

    async def run() -> tuple[Response, str]:
        async with listening(saying(answer)) as listener:
            got = await Outgoing(LOOPBACK).get(f"http://127.0.0.1:{listener.port}/")
            return got, listener.heads[0]

    got, head = asyncio.run(run())
    assert got.body == b"\x1f\x8b\x08"
    assert "Accept-Encoding: identity" in head


def test_a_body_is_sent_with_its_headers() -> None:
    seen: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readexactly(5))
        writer.write(OK)
        await writer.drain()

    async def run() -> str:
        async with listening(take) as listener:
            url = f"http://127.0.0.1:{listener.port}/hook"
            await Outgoing(LOOPBACK).post(url, b"hello", {"webhook-id": "ev_1"})
            return listener.heads[0]

    head = asyncio.run(run())
    assert head.startswith("POST /hook HTTP/1.1\r\n")
    assert "webhook-id: ev_1" in head
    assert seen == [b"hello"]


def test_a_slow_look_up_holds_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop goes on while a name is looked up: else nothing would let the look-up end."""
    let_go = threading.Event()

    def look_up(*_: Any, **__: Any) -> list[Any]:
        assert let_go.wait(60)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    async def run() -> str:
        asking = asyncio.create_task(unreachable(Outgoing(), "https://slow.example/"))
        await asyncio.sleep(0)
        let_go.set()
        return await asking

    assert "cannot be reached" in asyncio.run(run())


# --- TLS is to the name that was asked for, at the address that was checked.


def over_tls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: str, serve: Serve = ANSWERING
) -> Response:
    """The response to this request of a server with a certificate for `client.example`."""
    public, private = make_certificate("client.example", tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(public, private)
    client = ssl.create_default_context(cafile=str(public))
    names(monkeypatch, "127.0.0.1")

    async def run() -> Response:
        async with listening(serve, server) as listener:
            return await Outgoing(LOOPBACK, client).get(f"https://{asked}:{listener.port}/")

    return asyncio.run(run())


async def past_the_cipher(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers with a record of TLS that the key of the connection did not encrypt."""
    os.write(writer.get_extra_info("socket").fileno(), b"\x17\x03\x03\x00\x20" + bytes(32))


def test_the_certificate_is_checked_against_the_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert over_tls(monkeypatch, tmp_path, "client.example").status == 200
    with pytest.raises(AddressUnreachable, match="no valid certificate"):
        over_tls(monkeypatch, tmp_path, "other.example")


@pytest.mark.parametrize("secure", [False, True])
def test_an_answer_of_tiny_parts_is_read_a_little_at_a_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secure: bool
) -> None:
    parts = 10_000 * b"1\r\na\r\n"
    turns = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal turns
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % parts)
        await writer.drain()
        while not reader.at_eof():
            await asyncio.sleep(0)  # the event loop turns beside the client
            turns += 1

    async def plain() -> Response:
        async with listening(serve) as listener:
            return await Outgoing(LOOPBACK).get(f"http://127.0.0.1:{listener.port}/")

    answer = (
        over_tls(monkeypatch, tmp_path, "client.example", serve) if secure else asyncio.run(plain())
    )
    assert answer.body == b"a" * 10_000
    assert turns > len(parts) // 1024


def test_a_connection_that_is_no_longer_tls_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(AddressUnreachable, match="does not speak HTTP"):
        over_tls(monkeypatch, tmp_path, "client.example", past_the_cipher)


def test_certificates_that_cannot_be_read_make_every_address_unreachable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(AddressUnreachable, match="can check no certificates"):
        asyncio.run(Outgoing(LOOPBACK).get("https://127.0.0.1:1/"))


async def _unused(*_: object) -> Any:
    raise AssertionError


def test_a_call_that_began_without_a_task_may_ask_too() -> None:
    async def asked() -> list[int]:
        statuses = list[int]()
        async with listening(saying(OK)) as listener:

            async def call(*_: object) -> None:
                url = f"http://127.0.0.1:{listener.port}/"
                statuses.append((await Outgoing(LOOPBACK).get(url)).status)

            begun = StartedCall(call, {"type": "http"})
            asyncio.get_running_loop().call_soon(begun.run)
            await asyncio.sleep(0)
            await begun({}, _unused, _unused)
        return statuses

    assert asyncio.run(asked()) == [200]


LOADING = """
import asyncio, sys, threading
from stoa.outgoing.client import Outgoing
from stoa.outgoing.response import AddressUnreachable

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in ("httpx", "httpcore"):
            print(name, threading.current_thread() is threading.main_thread())

sys.meta_path.insert(0, Finder())
try:
    asyncio.run(Outgoing().get("https://127.0.0.1/"))
except AddressUnreachable:
    print("asked")
"""


def test_the_event_loop_turns_while_the_first_request_loads_its_client() -> None:
    command = [sys.executable, "-c", LOADING]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert sorted(done.stdout.splitlines()) == ["asked", "httpcore False", "httpx False"]
