"""An address with several hosts, some of which may not answer.

asyncpg tries one host after the other within one time limit. A host that never answers, such as a
machine without power, would use up this time alone: so the next one is asked too when a host has
not answered after half a second.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from asyncpg.exceptions import PostgresError, TargetServerAttributeNotMatched

_COMMA = re.compile(",|%2C", re.IGNORECASE)
_NEXT_S = 0.5
"""How long to wait for one host before the next is asked too."""


class _Ends(Protocol):
    def terminate(self) -> None: ...


T = TypeVar("T", bound=_Ends)


def one_each(url: str) -> list[str]:
    """An address for each host of an address, in its order."""
    before, asked, query = url.partition("?")
    scheme, separator, rest = before.partition("://")
    place, slash, name = rest.partition("/")
    user, at, hosts = place.rpartition("@")
    if hosts:
        start, named = f"{scheme}{separator}{user}{at}", hosts.split(",")
        # One that is empty would be this machine: the library refuses it in a list.
        each = [f"{start}{host}{slash}{name}{asked}{query}" for host in named]
        return each if all(named) else [url]
    parts = [part.partition("=") for part in query.split("&")]
    given = {key: _COMMA.sub(",", value).split(",") for key, _, value in parts}
    others = "&".join("".join(part) for part in parts if part[0] not in ("host", "port"))
    found, ports = given.get("host", []), given.get("port", [])
    if len(found) < 2 or not all(found) or (len(ports) > 1 and len(ports) != len(found)):
        return [url]  # the library says what is wrong with it
    return [
        f"{before}?host={host}{f'&port={ports[place % len(ports)]}' if ports else ''}"
        f"{'&' if others else ''}{others}"
        for place, host in enumerate(found)
    ]


async def first_open(urls: list[str], connect: Callable[[str], Coroutine[Any, Any, T]]) -> T:
    """The first connection that one of these addresses gives; the others are closed.

    Without one, raises the error of the last server that answered, unless it was only of another
    kind, else what kept one from being reached.
    """
    if len(urls) == 1:
        return await connect(urls[0])
    trying: list[asyncio.Task[T]] = []
    chosen: asyncio.Task[T] | None = None
    try:
        for place, url in enumerate(urls, 1):
            trying.append(asyncio.create_task(connect(url)))
            chosen = await _first(trying, _NEXT_S if place < len(urls) else None)
            if chosen:
                return chosen.result()
    finally:
        await _end(trying, chosen)
    errors = [error for one in trying if (error := one.exception())]
    telling = [one for one in errors if not isinstance(one, TargetServerAttributeNotMatched)]
    refusing = [one for one in telling if isinstance(one, PostgresError)]
    raise (refusing or telling or errors)[-1]


async def _first(trying: list[asyncio.Task[T]], seconds: float | None) -> asyncio.Task[T] | None:
    """The first of these that succeeds; None when all have failed or the time is over."""
    waiting = set(trying)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for one in trying:
                    if one in done and not one.exception():
                        return one
    return None


async def _end(trying: list[asyncio.Task[T]], chosen: asyncio.Task[T] | None) -> None:
    """Close all connections but the chosen one."""
    for one in trying:
        one.cancel()  # which leaves alone what has ended
    await asyncio.gather(*trying, return_exceptions=True)
    for one in trying:
        if one is not chosen and not one.cancelled() and not one.exception():
            one.result().terminate()
