"""Client addresses: what is believed from whom, and what counts as one client."""

import random
from collections.abc import Sequence
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.addresses import (
    UNKNOWN,
    bucket_key,
    client_address,
    is_loopback,
    parse_networks,
)

PROXIES = parse_networks(["10.0.0.0/8", "fd00::/8"])
PROXY = "10.0.0.1"


def behind_proxy(*forwarded_for: str) -> str:
    return client_address(PROXY, forwarded_for, (), PROXIES)


def forwarded(*lines: str) -> str:
    return client_address(PROXY, (), lines, PROXIES)


# --- The peer.


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::ffff:cb00:7109", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::1"),
        ("", UNKNOWN),
        ("/run/stoa.sock", UNKNOWN),
        ("testclient", UNKNOWN),
        ("1" * 100_000, UNKNOWN),
    ],
)
def test_without_proxies_the_peer_is_the_client(peer: str, address: str) -> None:
    assert client_address(peer, (), (), ()) == address


@pytest.mark.parametrize("peer", ["203.0.113.9", "11.0.0.1", "fe80::1", "127.0.0.1"])
def test_an_untrusted_peer_is_not_believed(peer: str) -> None:
    assert client_address(peer, ["198.51.100.1"], ["for=198.51.100.1"], PROXIES) == peer


def test_a_peer_without_an_address_is_not_believed() -> None:
    assert client_address("", ["198.51.100.1"], (), PROXIES) == UNKNOWN


def test_ten_thousand_spoofed_headers_are_one_client() -> None:
    dice = random.Random(32)
    keys: set[str] = set()
    for _ in range(10_000):
        spoofed = str(ip_address(dice.getrandbits(32)))
        address = client_address("203.0.113.9", [spoofed, spoofed], [f"for={spoofed}"], PROXIES)
        keys.add(bucket_key(address))
    assert keys == {"203.0.113.9"}


def test_ten_thousand_spoofed_headers_through_a_proxy_are_one_client() -> None:
    dice = random.Random(33)
    spoofed = [str(ip_address(dice.getrandbits(32))) for _ in range(10_000)]
    assert {behind_proxy(f"{one}, 203.0.113.9") for one in spoofed} == {"203.0.113.9"}


@pytest.mark.parametrize("peer", ["10.255.0.1", "::ffff:10.0.0.1", "fd12::1", "fd12::1%eth0"])
def test_every_spelling_of_a_trusted_peer_is_believed(peer: str) -> None:
    assert client_address(peer, ["198.51.100.1"], (), PROXIES) == "198.51.100.1"


# --- X-Forwarded-For, from the right.


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        (["198.51.100.1,203.0.113.9,\t10.0.0.2 , fd00::2"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9", "10.0.0.3, 10.0.0.2"], "203.0.113.9"),
        (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (["203.0.113.9:52044"], "203.0.113.9"),
        (["[2001:db8::9]:52044"], "2001:db8::9"),
        (["[2001:db8::9]"], "2001:db8::9"),
        (["2001:db8::9"], "2001:db8::9"),
        (["::ffff:203.0.113.9"], "203.0.113.9"),
        (["[::ffff:203.0.113.9]:80"], "203.0.113.9"),
        (["203.0.113.9, ::ffff:10.0.0.2"], "203.0.113.9"),
        (["fe80::9%eth0"], "fe80::9"),
    ],
)
def test_the_first_untrusted_address_from_the_right_is_the_client(
    lines: Sequence[str], address: str
) -> None:
    assert behind_proxy(*lines) == address


GARBAGE = [
    "",
    " ",
    "unknown",
    "unix:",
    "_hidden",
    "localhost",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.09",
    "203.0.113.9.1",
    "203.0.113.9/32",
    "203.0.113.9:",
    "203.0.113.9:port",
    "203.0.113.9:123456",
    "203.0.113.9:80:80",
    "203.0.113.9%eth0",
    "203.0.113.9\x00",
    "\xa0203.0.113.9",
    "203.0.113.9\n",
    "²03.0.113.9",
    "２０３.0.113.9",
    "3405803785",
    "0xcb007109",
    "2001:db8::9::1",
    "[2001:db8::9",
    "2001:db8::9]",
    "[2001:db8::9]x",
    "[2001:db8::9]:",
    "[]",
    "fe80::9%",
    "for=203.0.113.9",
    "203.0.113.9;proto=https",
    '"203.0.113.9"',
    "fe80::9%" + "z" * 100_000,
]


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_ends_the_walk_at_the_last_good_address(garbage: str) -> None:
    assert behind_proxy(garbage) == PROXY
    assert behind_proxy(f"198.51.100.1, {garbage}, 10.0.0.2") == "10.0.0.2"
    assert behind_proxy("198.51.100.1", garbage) == PROXY
    assert behind_proxy(f"{garbage}, 203.0.113.9") == "203.0.113.9"


def test_a_chain_longer_than_any_real_one_is_not_walked_to_its_end() -> None:
    hops = ["198.51.100.1"] + [f"10.0.{n // 256}.{n % 256}" for n in range(8000)]
    assert behind_proxy(", ".join(hops)).startswith("10.0.31.")


@given(st.lists(st.text(max_size=40)), st.lists(st.text(max_size=40)))
def test_whatever_a_client_sends_the_address_its_proxy_added_is_found(
    for_lines: list[str], forwarded_lines: list[str]
) -> None:
    assert behind_proxy(*for_lines, "203.0.113.9") == "203.0.113.9"
    assert forwarded(*forwarded_lines, 'for="203.0.113.9:80"') == "203.0.113.9"


# --- Forwarded.


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (["for=203.0.113.9"], "203.0.113.9"),
        (["For=203.0.113.9; Proto=https ;by=10.0.0.1;host=stoa.example"], "203.0.113.9"),
        (["proto=https;FOR=203.0.113.9"], "203.0.113.9"),
        (['for="203.0.113.9:52044"'], "203.0.113.9"),
        (['for="[2001:db8:cafe::17]:4711"'], "2001:db8:cafe::17"),
        (["for=198.51.100.1, for=203.0.113.9"], "203.0.113.9"),
        (["for=198.51.100.1, for=203.0.113.9,for=10.0.0.2"], "203.0.113.9"),
        (["for=198.51.100.1", "for=203.0.113.9;proto=http", "for=10.0.0.2"], "203.0.113.9"),
        (['for="198.51.100.1', "for=203.0.113.9"], "203.0.113.9"),
        (['for=198.51.100.1;x="', "for=203.0.113.9"], "203.0.113.9"),
    ],
)
def test_forwarded_names_the_client(lines: Sequence[str], address: str) -> None:
    assert forwarded(*lines) == address


@pytest.mark.parametrize(
    "element",
    [
        "",
        "203.0.113.9",
        "proto=https",
        "for=",
        'for=""',
        'for="',
        "for=unknown",
        "for=_hidden",
        "for",
        "for =203.0.113.9",
        "for=203.0.113.9;for=203.0.113.9",
        'for="203.0.113.9',
        'for=203.0.113.9"',
        'for="203.0.113.\\9"',
        "for='203.0.113.9'",
        "for=203.0.113.9;;",
        "for=203.0.113.9;proto",
    ],
)
def test_a_malformed_element_ends_the_walk_at_the_last_good_address(element: str) -> None:
    assert forwarded(element) == PROXY
    assert forwarded(f"for=198.51.100.1, {element}, for=10.0.0.2") == "10.0.0.2"


@pytest.mark.parametrize(
    "host",
    [
        "x, for=198.51.100.1",
        "x, for=198.51.100.1;y=",
        'x, for=198.51.100.1;y=\\"',
        "x, for=198.51.100.1;y=z, ",
        'x\\", for=198.51.100.1;y=\\"z',
    ],
)
def test_a_host_quoted_by_the_proxy_cannot_name_a_client(host: str) -> None:
    assert forwarded(f'for=203.0.113.9;host="{host}"') in (PROXY, "203.0.113.9")


# --- Both headers.


@pytest.mark.parametrize(
    ("for_line", "forwarded_line", "address"),
    [
        ("203.0.113.9", "for=203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, 10.0.0.2", 'for="[::ffff:203.0.113.9]"', "203.0.113.9"),
        ("203.0.113.9", "for=198.51.100.1", PROXY),
        ("198.51.100.1", "for=203.0.113.9", PROXY),
        ("203.0.113.9", "garbage", PROXY),
        ("garbage", "for=203.0.113.9", PROXY),
    ],
)
def test_headers_that_disagree_count_for_nothing(
    for_line: str, forwarded_line: str, address: str
) -> None:
    assert client_address(PROXY, [for_line], [forwarded_line], PROXIES) == address


# --- What counts as one client.


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth1", "fe80::/64"),
        (UNKNOWN, UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_an_address_is_counted_by_its_key(address: str, key: str) -> None:
    assert bucket_key(address) == key


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_all_addresses_of_one_64_bit_network_share_a_key(first: int, second: int) -> None:
    network = 0x2001_0DB8_0001_0002 << 64
    keys = {bucket_key(str(ip_address(network | host))) for host in (first, second)}
    assert keys == {"2001:db8:1:2::/64"}


@given(st.ip_addresses())
def test_a_client_address_is_stable_when_it_is_read_again(address: object) -> None:
    once = client_address(str(address), (), (), ())
    assert client_address(once, (), (), ()) == once
    assert bucket_key(once) == bucket_key(str(address))


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.255.255.254", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("128.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - an address to judge, nothing binds to it
        ("::", False),
        ("localhost", False),
        (UNKNOWN, False),
    ],
)
def test_loopback_is_told_from_the_rest(address: str, loopback: bool) -> None:
    assert is_loopback(address) is loopback


# --- The setting.


def test_networks_are_read_from_addresses_and_cidrs() -> None:
    entries = ["10.0.0.0/8", " 192.0.2.1 ", "2001:db8::/32", "::ffff:10.1.0.0/112", "::1"]
    assert [str(network) for network in parse_networks(entries)] == [
        "10.0.0.0/8",
        "192.0.2.1/32",
        "2001:db8::/32",
        "10.1.0.0/16",
        "::1/128",
    ]


@pytest.mark.parametrize("entry", ["", "*", "localhost", "10.0.0.1/8", "10.0.0.0/33"])
def test_what_is_no_network_is_refused_with_an_example(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not a network: write .* such as 10\.0\.0\.0/8"):
        parse_networks(["192.0.2.1", entry])


@pytest.mark.parametrize("entry", ["0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"])
def test_trusting_every_address_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="would mean every address"):
        parse_networks([entry])
