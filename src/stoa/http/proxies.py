"""Which client a request comes from: what trusted proxies say of it, else its peer."""

import structlog

from stoa.domain.addresses import IPNetwork, canonical, client_address, is_trusted
from stoa.http.wire import HeaderList

log = structlog.get_logger("stoa.http")

_HINT = "if this is your proxy, add it to STOA_TRUSTED_PROXIES: now its clients count as one"


class Proxies:
    """The networks of the trusted proxies. The first forwarding header from another peer is
    logged: the operator may have forgotten to name a proxy."""

    def __init__(self, trusted: tuple[IPNetwork, ...]) -> None:
        self._trusted = trusted
        self._told = False

    def client(self, peer: str, lines: HeaderList) -> str:
        """The client's address, of a request with a header that names another than the peer."""
        forwarded_for = _values(lines, b"x-forwarded-for")
        address = client_address(peer, forwarded_for, _values(lines, b"forwarded"), self._trusted)
        if address == canonical(peer) and not self._told and not is_trusted(peer, self._trusted):
            self._told = True
            log.warning("a forwarding header is ignored", peer=peer, hint=_HINT)
        return address


def _values(lines: HeaderList, header: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in lines if name == header]
