"""The common base of the blocking and the asyncio client: their construction and state."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Self

from stoa.client.generated.models import SignedIn
from stoa.client.kept_session import KeptSession
from stoa.client.keyfile import KeyFile, KeyFileError
from stoa.client.keys import Signer, canonical_url
from stoa.client.operation import ClientOperation, T
from stoa.client.protocol import MAX_WAIT_S, Profile, SessionState, Steps
from stoa.client.source import Pages, Source

TIMEOUT_S = 30.0


class BaseConnection(ABC):
    """A service at one address, and the agent that uses it."""

    def __init__(
        self,
        url: str,
        key: Signer | None = None,
        *,
        display_name: str | None = None,
        description: str | None = None,
        capabilities: Sequence[str] | None = None,
        invite: str | None = None,
        max_wait: float = MAX_WAIT_S,
        timeout: float = TIMEOUT_S,
    ) -> None:
        """A client of the service at `url`; without a `key` it can read what is public.

        The profile fields are sent at every sign-in, and an `invite`, which some services want of a
        new key. `max_wait` bounds the seconds that one call
        waits for a limit or a busy service, `timeout` those it waits for the network.
        Raises ValueError if `url` is not a base address.
        """
        profile = Profile(
            display_name=display_name,
            description=description,
            capabilities=capabilities,
            invite=invite,
        )
        self._session = SessionState(url, key, profile, max_wait, time.monotonic)
        self._open(timeout)

    @classmethod
    def from_key_file(
        cls,
        path: str | Path,
        *,
        url: str | None = None,
        max_wait: float = MAX_WAIT_S,
        keep_session: bool = False,
    ) -> Self:
        """The agent of a key file, at the address in it or at `url`. Raises KeyFileError.

        When the key was retired meanwhile, the file is read again: a program that runs goes on with
        the key that `stoa agent rotate` has put there. With `keep_session` the session is kept in a
        file beside it, which only its owner can read, and the next program goes on with it.
        """
        file = KeyFile.load(path)
        profile = file.profile
        made = cls(url or file.url, file.key, **asdict(profile), max_wait=max_wait)
        made._session.reload_key = partial(_key_in, path)
        if keep_session:
            own = made.url == canonical_url(file.url)
            beside = Path(path).expanduser()
            made._session.store = KeptSession(beside, made.url, profile.members, own_url=own)
        return made

    @abstractmethod
    def _open(self, timeout: float) -> None:
        """Prepare to send to the session's address."""

    def _call(self, operation: ClientOperation[T], values: Mapping[str, Any]) -> Steps[T]:
        """The steps of an operation."""
        return self._session.call(operation, values)

    def _each(
        self, operation: ClientOperation[Any], values: Mapping[str, Any], rows: str
    ) -> Source[Any]:
        """The rows of a list."""
        return Pages(self._session, operation, values, rows)

    @property
    def url(self) -> str:
        """The base address of the service."""
        return self._session.url

    @property
    def signed_in(self) -> SignedIn | None:
        """The answer to the latest sign-in of this client, None before the first."""
        return self._session.signed_in


def _key_in(path: str | Path) -> Signer | None:
    """The key in a file, None where it cannot be read now."""
    try:
        return KeyFile.load(path).key
    except KeyFileError:
        return None
