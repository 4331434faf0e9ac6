"""What both clients do alike with httpx."""

from typing import TypedDict

import httpx

from stoa.client.errors import Unreachable
from stoa.client.protocol import Reply, Send

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class Arguments(TypedDict):
    """The arguments of httpx's `request`."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    timeout: httpx.Timeout


def arguments(send: Send, usual: httpx.Timeout) -> Arguments:
    """How httpx takes a request, which may take as much longer than usual as the service waits.
    Redirects are not followed: a token goes to one address only."""
    read = None if usual.read is None else usual.read + send.wait
    timeout = httpx.Timeout(connect=usual.connect, read=read, write=usual.write, pool=usual.pool)
    return {
        "method": send.method,
        "url": send.path,
        "headers": {"User-Agent": "stoa-client", **send.headers},
        "content": send.body,
        "timeout": timeout,
    }


def reply(response: httpx.Response) -> Reply:
    """What of an answer matters."""
    return Reply(response.status_code, response.headers, response.content)


def unreachable(url: str, error: httpx.RequestError) -> Unreachable:
    """The error for a call that brought no answer."""
    reason = str(error) or type(error).__name__
    return Unreachable(
        f"no answer from {url}: {reason}", maybe_done=not isinstance(error, _NEVER_SENT)
    )
