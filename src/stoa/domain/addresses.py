"""The client's address of a request behind trusted proxies, and the key of its bucket.

Each proxy adds the address it was called from at the right end of a header, and only what a trusted
proxy added is believed. So the header is read from the right, up to the first untrusted address.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from socket import AF_INET, inet_pton
from typing import NamedTuple

MADE_UP = "192.0.2.99"
"""An address of RFC 5737, which no client has: `stoa doctor` says it is its own."""
UNKNOWN = "unknown"  # what a peer without an address is called, such as one on a Unix socket

# Longer text is no address, even with brackets, zone and port. Without this the cache could be fed
# megabytes.
_TEXT_MAX = 80
_DEFAULT_PORTS = (":", ":80", ":443")
_CACHED = 8192
# Longer than any chain of proxies; a header of thousands of trusted addresses is not walked.
_HOPS_MAX = 32
# The smallest network that an IPv6 client is given: all of its addresses are one client's.
_CLIENT_PREFIX = 64
_UNICAST = IPv6Network("2000::/3")
_NOT_PUBLIC: tuple[IPv4Network | IPv6Network, ...] = (
    IPv4Network("168.63.129.16/32"),  # what Azure tells each of its machines, at a public address
    IPv4Network("192.0.0.0/24"),  # protocols, and what Oracle's cloud tells its machines
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("240.0.0.0/4"),  # reserved
    IPv6Network("2001::/23"),  # protocols, Teredo among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4
    IPv6Network("3fff::/20"),  # documentation
)
"""What some releases of Python take for public, and what clouds serve to their own machines."""
_IN_BRACKETS_OR_WITH_PORT = re.compile(r"(?:\[([^]]+)\]|([0-9.]+))(?::[0-9]{1,5})?")


_IPV4, _IPV6 = 4, 6


class Network(NamedTuple):
    """A network of IPv4 or IPv6: the bits its addresses begin with, and how many follow."""

    text: str
    version: int
    first_bits: int
    more_bits: int

    def __str__(self) -> str:
        return self.text


_Host = tuple[int, int, str, str]
"""An address: its number, its version, its canonical text and what limits count it by. A plain
tuple, since each request makes some of them."""
_TEXT, _KEY = 2, 3


def client_address(
    peer: str,
    forwarded_for: Sequence[str],
    forwarded: Sequence[str],
    trusted: tuple[Network, ...],
) -> str:
    """The client's address in canonical text, without port or zone, IPv4-mapped ones as IPv4.

    `forwarded_for` and `forwarded` are the X-Forwarded-For and Forwarded (RFC 7239) header lines in
    the order received; they count only when `peer` is trusted. Anything that is no address ends the
    walk at the last good one. A proxy that adds to one header may pass on the other as the client
    made it up, so when the two name different clients the answer is the peer. `UNKNOWN` when the
    peer has no address.
    """
    host = _proxy(peer, trusted)
    if host is None:
        return canonical(peer)
    client = _walk(host, _from_the_right(forwarded_for), trusted)
    if forwarded:
        other = _walk(host, map(_for_parameter, _from_the_right(forwarded)), trusted)
        return other if other == client or not forwarded_for else host[_TEXT]
    return client


@lru_cache(_CACHED)
def canonical(address: str) -> str:
    """An address in canonical text, without port or zone; `UNKNOWN` for what is none."""
    host = _host(address)
    return UNKNOWN if host is None else host[_TEXT]


def bucket_key(address: str) -> str:
    """The key that limits count an address by: all of an IPv4 address, the /64 of an IPv6
    address, else `UNKNOWN`. Takes what `client_address` returns, or the address of a socket."""
    if "." in address and ":" not in address:
        return address
    host = _host(address)
    return UNKNOWN if host is None else host[_KEY]


def is_loopback(address: str) -> bool:
    """Whether the address is this machine's own; `UNKNOWN` is not."""
    host = _host(address)
    return host is not None and ip_address(host[_TEXT]).is_loopback


def is_public(address: str) -> bool:
    """Whether the address is one machine's on the public internet; `UNKNOWN` is not.

    Networks in which an IPv6 address stands for an IPv4 one are not public, whichever it is.
    """
    host = _host(address)
    if host is None:
        return False
    known = ip_address(host[_TEXT])
    if not known.is_global or known.is_multicast:
        return False
    if isinstance(known, IPv6Address) and known not in _UNICAST:
        return False
    return not any(known in network for network in _NOT_PUBLIC)


def is_trusted(address: str, trusted: tuple[Network, ...]) -> bool:
    """Whether the address is in one of the networks; `UNKNOWN` is not."""
    return _proxy(address, trusted) is not None


@lru_cache(_CACHED)
def _proxy(address: str, trusted: tuple[Network, ...]) -> _Host | None:
    """The address, if it is in one of the networks."""
    host = _host(address)
    return host if host is not None and _is_trusted(host, trusted) else None


def parse_networks(entries: Iterable[str]) -> tuple[Network, ...]:
    """The networks that addresses and CIDRs name, for `client_address`.

    Raises ValueError, saying what to write instead, for anything else and for "every address":
    who trusts all proxies believes all clients, and who allows all networks allows its own.
    """
    return tuple(_network(entry.strip()) for entry in entries)


def _network(entry: str) -> Network:
    try:
        network = ip_network(entry)
    except ValueError as error:
        raise ValueError(
            f"{entry!r} is not a network: write an address or a CIDR such as 10.0.0.0/8 ({error})"
        ) from None
    first = network.network_address
    if isinstance(first, IPv6Address) and first.ipv4_mapped and network.prefixlen >= 96:
        network = IPv4Network((int(first.ipv4_mapped), network.prefixlen - 96))
    if network.prefixlen == 0:
        raise ValueError(f"{entry!r} would mean every address: name the networks themselves")
    more_bits = network.max_prefixlen - network.prefixlen
    first_bits = int(network.network_address) >> more_bits
    return Network(str(network), network.version, first_bits, more_bits)


def _host(text: str) -> _Host | None:
    if len(text) > _TEXT_MAX:
        return None
    try:  # What most are: an IPv4 address as it is canonical. No cache holds as many as there are.
        return int.from_bytes(inet_pton(AF_INET, text)), _IPV4, text, text
    except (OSError, ValueError):
        return _parsed(text)


@lru_cache(_CACHED)
def _parsed(text: str) -> _Host | None:
    match = _IN_BRACKETS_OR_WITH_PORT.fullmatch(text)
    try:
        address = ip_address(match[1] or match[2] if match else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or IPv6Address(int(address))  # the number has no zone
    if isinstance(address, IPv4Address):
        return int(address), _IPV4, str(address), str(address)
    network = IPv6Network((int(address), _CLIENT_PREFIX), strict=False)
    return int(address), _IPV6, str(address), str(network)


def _is_trusted(host: _Host, trusted: Sequence[Network]) -> bool:
    number, version, _, _ = host
    for _, of_version, first_bits, more_bits in trusted:  # a generator takes twice as long for one
        if version == of_version and number >> more_bits == first_bits:
            return True
    return False


def _walk(peer: _Host, nodes: Iterable[str], trusted: Sequence[Network]) -> str:
    client = peer
    for node in nodes:
        hop = _host(node.strip(" \t"))
        if hop is None:
            break
        client = hop
        if not _is_trusted(hop, trusted):
            break
    return client[_TEXT]


def _from_the_right(lines: Sequence[str]) -> Iterable[str]:
    if not lines or (len(lines) == 1 and "," not in lines[0]):
        return lines
    return reversed(",".join(lines).rsplit(",", _HOPS_MAX))


def _for_parameter(element: str) -> str:
    """The node of one Forwarded element, or "" when the element is not well formed.

    Elements are cut at every comma: a quoted comma of a proxy leaves pieces that are refused here,
    and an open quote of a client cannot swallow what the proxy added after it.
    """
    node = ""
    for pair in element.split(";"):
        name, _, value = pair.strip(" \t").partition("=")
        if value[:1] == value[-1:] == '"':
            value = value[1:-1]
        if not value or '"' in value:
            return ""
        if name.lower() == "for":
            if node:
                return ""
            node = value
    return node


def plain_host(host: str) -> str:
    """A host name as it is compared: without its default port and a final dot, which proxies and
    clients add (RFC 3986, 3.2.2 and 6.2.3)."""
    host = host.lower()
    if host.endswith(_DEFAULT_PORTS):
        host = host.rpartition(":")[0]
    name, colon, port = host.partition(":")
    return f"{name[:-1]}{colon}{port}" if name.endswith(".") else host
