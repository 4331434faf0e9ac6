"""The certificate of the own address is looked at as clients see it."""

import asyncio
import ssl
from pathlib import Path

import pytest

from stoa.clock import SystemClock
from stoa.outgoing.certificate import Certificate
from tests.support.certificates import make_certificate


async def left(scheme: str, folder: Path) -> tuple[float | None, float | None]:
    """What is left of a certificate of localhost that is good for a day: while a server shows it,
    asked twice, the second time after the server has gone."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*make_certificate("localhost", folder))

    async def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(close, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    certificate = Certificate(f"{scheme}://localhost:{port}", SystemClock())
    first = await certificate.seconds_left()
    server.close()
    return first, await certificate.seconds_left()


def test_a_certificate_says_how_long_it_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    first, kept = asyncio.run(left("https", tmp_path))
    assert first is not None
    assert kept is not None
    assert 0 < kept <= first <= 86_400


def test_one_that_clients_refuse_is_good_for_no_time(tmp_path: Path) -> None:
    assert asyncio.run(left("https", tmp_path)) == (0, 0)


def test_without_https_or_a_server_there_is_none(tmp_path: Path) -> None:
    assert asyncio.run(left("http", tmp_path)) == (None, None)
    closed = Certificate("https://127.0.0.1:1", SystemClock())
    assert asyncio.run(closed.seconds_left()) is None
