"""Finds the client of a client id: from its registration, or from its metadata document."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from stoa.caching import CachedKind
from stoa.calls.authorizing import Authorizing
from stoa.clock import Clock
from stoa.domain import clients, limits
from stoa.domain.addresses import bucket_key
from stoa.domain.clients import BadClient, Client
from stoa.domain.errors import Refusal
from stoa.domain.oauth import OAuthRefusal
from stoa.http.reading import parse_json
from stoa.limits.charge import Charges
from stoa.outgoing.client import Outgoing
from stoa.outgoing.response import AddressUnreachable, Response

_UNKNOWN = (
    "The `client_id` is neither one that POST /oauth/register gave nor the https address of a "
    "client's metadata document."
)


_TOO_MANY = (
    "The documents of other clients are being fetched for your address: load this page again in "
    "ten seconds."
)


class _Cached(NamedTuple):
    """What was found at an address, and until when (ms) this is not looked up again."""

    client: Client | OAuthRefusal
    until: int


class Clients:
    """Knows clients by their ids. What their documents say is cached for a while; so is that an
    address has no usable document."""

    def __init__(
        self,
        outgoing: Outgoing,
        authorizing: Authorizing,
        charges: Charges,
        clock: Clock,
        *,
        plain: bool,
    ) -> None:
        self._outgoing = outgoing
        self._authorizing = authorizing
        self._charges = charges
        self._clock = clock
        self._plain = plain
        self._cached = CachedKind[str, _Cached](authorizing.services.memory.lasting, _size)
        self._fetching = Counter[str]()

    async def find(self, client_id: str, address: str) -> Client:
        """The client with this id, which a request from `address` names.

        Raises `OAuthRefusal` for an id that none has, and 429 when the address names too many.
        """
        if clients.is_document(client_id, plain=self._plain):
            return await self._of_document(client_id, address)
        client = clients.registered(await self._authorizing.secret(), client_id)
        if client is None:
            raise OAuthRefusal("invalid_client", _UNKNOWN)
        return client

    async def _of_document(self, client_id: str, address: str) -> Client:
        cached = self._cached.find(client_id)
        if cached is None or cached.until <= self._clock():
            with self._one_more(bucket_key(address)):
                await self._charges.count_client(address)
                cached = await self._fetched(client_id)
            self._cached.put(client_id, cached)
        if isinstance(cached.client, OAuthRefusal):
            raise cached.client
        return cached.client

    @contextmanager
    def _one_more(self, key: str) -> Generator[None]:
        """Fetch for this client address, a few documents at once: servers that do not answer must
        not take all connections. Raises `OAuthRefusal`, of which nothing is cached."""
        if self._fetching[key] >= limits.CLIENT_DOCUMENTS_AT_ONCE:
            raise OAuthRefusal("temporarily_unavailable", _TOO_MANY)
        self._fetching[key] += 1
        try:
            yield
        finally:
            self._fetching[key] -= 1
            if not self._fetching[key]:
                del self._fetching[key]

    async def _fetched(self, client_id: str) -> _Cached:
        try:
            response = await self._outgoing.get(client_id, {"Accept": "application/json"})
            client = clients.described(client_id, _document(response))
        except (AddressUnreachable, BadClient) as error:
            refusal = OAuthRefusal("invalid_client", f"The client cannot be used. {error}")
            return _Cached(refusal, self._clock() + limits.CLIENT_FAILURE_MS)
        return _Cached(client, self._clock() + limits.CLIENT_DOCUMENT_MS)


def _size(client_id: str, cached: _Cached) -> int:
    found = cached.client
    if isinstance(found, OAuthRefusal):
        return len(client_id) + len(found.description)
    return len(client_id) + sum(map(len, (found.id, found.name, *found.redirects)))


def _document(response: Response) -> object:
    """The JSON of a metadata document. Raises `AddressUnreachable` for anything else."""
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = media_type == "application/json" or media_type.endswith("+json")
    if response.status != 200 or not is_json:
        raise AddressUnreachable(
            f"Its address answered with status {response.status} and not with 200 and JSON."
        )
    try:
        return parse_json(response.body)
    except Refusal:
        raise AddressUnreachable("Its address answered with JSON that cannot be read.") from None
