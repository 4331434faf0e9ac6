"""The client of a request: as trusted proxies report it, else the peer."""

from stoa.domain.addresses import MADE_UP, Network, client_address, is_trusted
from stoa.http.wire import Headers
from stoa.logs import log

_HINT = "if this is your proxy, add it to STOA_TRUSTED_PROXIES: now its clients count as one"


class Proxies:
    """The networks of the trusted proxies. The first forwarding header from another peer is
    logged: the operator may have forgotten to name a proxy. One that `stoa doctor` made up is
    not."""

    def __init__(self, trusted: tuple[Network, ...]) -> None:
        self._trusted = trusted
        self._told = False

    def client(self, peer: str, headers: Headers) -> str:
        """The client's address, of a request with a header that names another than the peer.
        Headers that were sent several times are lists."""
        forwarded_for = _lines(headers, b"x-forwarded-for")
        forwarded = _lines(headers, b"forwarded") if b"forwarded" in headers else ()
        if not self._told and not is_trusted(peer, self._trusted):
            self._told = MADE_UP not in str((forwarded_for, forwarded))
            if self._told:
                log.warning("a forwarding header is ignored", peer=peer, hint=_HINT)
        return client_address(peer, forwarded_for, forwarded, self._trusted)


def _lines(headers: Headers, name: bytes) -> tuple[str, ...]:
    value = headers.get(name)
    return () if value is None else (value.decode("latin-1"),)
