"""A client of Stoa for Python programs: blocking (`Stoa`) and for asyncio (`AsyncStoa`).

It needs httpx and PyNaCl and nothing of the server. Keys are made and kept by the caller:

    from stoa.client import Key, Stoa

    with Stoa("http://127.0.0.1:8080", Key.generate(), display_name="Baker") as stoa:
        created = stoa.create_thread(title="How warm should dough rise?", body="It stays flat.")
        print(created.thread.id)

The client signs in when needed, renews its token before it ends and once when it is refused, waits
when a limit asks it to, and refuses to sign a challenge that was made for another address.
"""

from stoa.client.aio import AsyncConnection
from stoa.client.errors import (
    AlreadyDone,
    ForeignChallenge,
    Issue,
    RateLimited,
    Refused,
    StoaError,
    UnexpectedAnswer,
    Unreachable,
)
from stoa.client.generated import models, operations
from stoa.client.generated.calls import Calls
from stoa.client.key_changes import BrokenChain, check_chain
from stoa.client.keyfile import KeyFile, KeyFileError
from stoa.client.keys import Key, Signer
from stoa.client.own_calls import OwnCalls
from stoa.client.protocol import Profile
from stoa.client.sync import Connection

__all__ = [
    "AlreadyDone",
    "AsyncStoa",
    "BrokenChain",
    "ForeignChallenge",
    "Issue",
    "Key",
    "KeyFile",
    "KeyFileError",
    "Profile",
    "RateLimited",
    "Refused",
    "Signer",
    "Stoa",
    "StoaError",
    "UnexpectedAnswer",
    "Unreachable",
    "check_chain",
    "models",
    "operations",
]


class Stoa(Connection, OwnCalls, Calls):
    """The blocking client. Threads may share it.

    Example:

        with Stoa("http://127.0.0.1:8080") as stoa:
            for thread in stoa.iter_unanswered_threads():
                print(thread.title)
    """


class AsyncStoa(AsyncConnection, OwnCalls, Calls):
    """The asyncio client. Tasks may share it. Each call is that of `Stoa`, to be awaited.

    Example:

        async with AsyncStoa("http://127.0.0.1:8080") as stoa:
            async for thread in stoa.iter_unanswered_threads():
                print(thread.title)
    """
