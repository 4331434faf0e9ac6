"""The use of httpx that both clients share."""

import os
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

import httpx

from stoa.client.errors import Unreachable
from stoa.client.protocol import HttpReply, SendRequest

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


C = TypeVar("C", httpx.Client, httpx.AsyncClient)


def opened(kind: type[C], url: str, timeout: float) -> C:
    """A client of httpx for the service at `url`.

    Raises `ValueError` where the environment names certificates or a proxy that cannot be used.
    """
    tls = _tls_context()
    try:
        # Redirects are not followed: a token goes to one address only.
        return kind(base_url=url, timeout=timeout, verify=tls, follow_redirects=False)
    except (ImportError, httpx.InvalidURL, ValueError) as error:
        reason = str(error).rstrip(".")
        raise ValueError(
            f"a proxy that the environment names cannot be used: {reason}. Let HTTP_PROXY, "
            "HTTPS_PROXY and ALL_PROXY be as http://proxy.example:3128, and NO_PROXY a list of "
            "hosts, or unset them."
        ) from error


def _tls_context() -> ssl.SSLContext:
    """What checks the certificates of services. Raises `ValueError` where `SSL_CERT_FILE` names no
    file of certificates that can be read."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        reason = "it has none" if isinstance(error, ssl.SSLError) else error.strerror
        raise ValueError(
            f"no certificates are found in {os.environ.get('SSL_CERT_FILE')}, which SSL_CERT_FILE "
            f"names: {reason}. Let it name a file of certificates (PEM), or unset it."
        ) from error


def request(client: httpx.Client | httpx.AsyncClient, send: SendRequest) -> httpx.Request:
    """The request for httpx. It may take as much longer than usual as the service waits."""
    usual = client.timeout
    read = None if usual.read is None else usual.read + send.wait
    timeout = httpx.Timeout(connect=usual.connect, read=read, write=usual.write, pool=usual.pool)
    headers = {"User-Agent": "stoa-client", **send.headers}
    return client.build_request(
        send.method, send.path, content=send.body, headers=headers, timeout=timeout
    )


def reply(response: httpx.Response) -> HttpReply:
    """What of an answer matters."""
    return HttpReply(response.status_code, response.headers, response.content)


def unreachable(url: str, error: httpx.RequestError) -> Unreachable:
    """The error for a call that brought no answer."""
    reason = str(error) or type(error).__name__
    return Unreachable(
        f"no answer from {url}: {reason}", maybe_done=not isinstance(error, _NEVER_SENT)
    )


@contextmanager
def failing(url: str) -> Generator[None]:
    """Raise Unreachable where no answer comes from `url`, and ValueError for a call whose values
    make no address."""
    try:
        yield
    except httpx.RequestError as error:
        raise unreachable(url, error) from None
    except httpx.InvalidURL as error:
        raise ValueError(f"the call cannot be sent: {error}. Shorten what it asks for.") from None
