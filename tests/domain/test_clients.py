"""Redirect addresses match exactly, and an id that this service gave cannot be made up."""

import random
from string import ascii_letters, digits
from typing import Any

import pytest

from stoa.domain import clients, limits
from stoa.domain.clients import BadClient, Client, same_address

SECRET = b"s" * 32
HTTPS = "https://client.example/callback"


@pytest.mark.parametrize(
    "address",
    [
        HTTPS,
        "https://client.example:8443/callback?tenant=1",
        "http://127.0.0.1/callback",
        "http://127.0.0.1:33418/",
        "http://localhost:1234/callback",
        "http://[::1]:1/callback",
        "cursor://anysphere.cursor-retrieval/oauth/callback",
        "com.example.app:/callback",
        "vscode://vscode.github-authentication/did-authenticate",
        "claude://callback",
        "myapp+dev:/callback",
    ],
)
def test_addresses_of_clients_in_use_are_taken(address: str) -> None:
    assert clients.redirect_problem(address) is None


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/callback",
        "//client.example/callback",
        "http://client.example/callback",
        "http://127.0.0.1.client.example/",
        "http://127.0.0.2/callback",
        "https://",
        "https:///callback",
        "https://client.example/callback#top",
        "https://client.example/callback#",
        "https://user@client.example/callback",
        "https://client.example\\@other.example/",
        "https://client.example/call back",
        "https://client.example/\r\nSet-Cookie: a=b",
        "https://cli\u00ebnt.example/callback",
        "https://client.example:0/callback",
        "https://client.example:99999/callback",
        "https://client.example/" + "a" * limits.CLIENT_ADDRESS_CHARS,
        "javascript:alert(1)",
        "JavaScript://client.example/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        "blob:https://client.example/1",
        "about:blank",
        "FILE:///etc/passwd",
        "ftp://client.example/callback",
        "mailto:eve@client.example",
        "intent://client.example/#Intent;scheme=https;end",
        "view-source:https://client.example/",
        "ms-msdt:/id",
        "ms-officecmd:{}",
        "ms-word:ofe|u|https://client.example/",
        "ms-settings:privacy",
        "search:query=a",
        "search-ms:query=a",
        "itms-services://?action=download-manifest",
        "shortcuts://run-shortcut",
        "x-apple.systempreferences:",
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    assert clients.redirect_problem(address) is not None
    assert not same_address(HTTPS, address)
    assert not same_address("http://127.0.0.1/callback", address)


@pytest.mark.promise("G5")
@pytest.mark.parametrize(
    ("registered", "asked", "same"),
    [
        (HTTPS, HTTPS, True),
        (HTTPS, f"{HTTPS}/", False),
        (HTTPS, f"{HTTPS}?next=1", False),
        (HTTPS, "https://client.example/callback/../callback", False),
        (HTTPS, "https://CLIENT.example/callback", False),
        (HTTPS, "https://client.example:443/callback", False),
        (HTTPS, "https://client.example.other.example/callback", False),
        (HTTPS, "https://client.example/callbac%6b", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:51234/callback", True),
        ("http://127.0.0.1:1/callback", "http://127.0.0.1:2/callback", True),
        ("http://localhost/callback", "http://localhost:51234/callback", True),
        ("http://[::1]/callback", "http://[::1]:51234/callback", True),
        ("http://127.0.0.1/callback", "http://127.0.0.1:51234/other", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:51234/callback?a=1", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:51234/callback#a", False),
        ("http://127.0.0.1/callback", "http://localhost:51234/callback", False),
        ("http://127.0.0.1/callback", "https://127.0.0.1:51234/callback", False),
        ("http://127.0.0.1/callback", "http://a@127.0.0.1:51234/callback", False),
        ("https://127.0.0.1/callback", "https://127.0.0.1:51234/callback", False),
        ("cursor://one/callback", "cursor://one:80/callback", False),
    ],
)
def test_an_address_matches_exactly_but_for_the_port_of_the_loopback(
    registered: str, asked: str, same: bool
) -> None:
    assert same_address(registered, asked) is same
    assert Client("x", "X", (registered,)).redirect(asked) == (asked if same else None)


def test_the_largest_client_is_known_again_too() -> None:
    chance, characters = random.Random(1), ascii_letters + digits + "!$&'()*+,;=:@/?-._~"
    ends = ("".join(chance.choices(characters, k=limits.CLIENT_ADDRESS_CHARS)) for _ in range(10))
    addresses = [f"{HTTPS}?{end}"[: limits.CLIENT_ADDRESS_CHARS] for end in ends]
    name = "".join(chr(chance.randrange(0x1F300, 0x1F600)) for _ in range(80))
    assert not any(map(clients.redirect_problem, addresses))
    made = clients.register(SECRET, name, addresses)
    assert clients.registered(SECRET, made.id) == made


def test_a_registered_client_is_known_again_by_its_id_alone() -> None:
    made = clients.register(SECRET, "Editör", [HTTPS, "http://127.0.0.1/"])
    assert clients.registered(SECRET, made.id) == made
    assert made.id.startswith(clients.PREFIX)
    assert made.id.isascii()


@pytest.mark.promise("G8")
def test_no_other_id_is_a_client() -> None:
    made = clients.register(SECRET, "Editor", [HTTPS]).id
    assert clients.registered(b"t" * 32, made) is None
    changed = [
        made[:place] + ("A" if made[place] != "A" else "B") + made[place + 1 :]
        for place in range(len(made))
    ]
    others = ["", clients.PREFIX, made + "=", made + "A", f" {made}", made.upper(), "\u0660" * 40]
    for other in [*changed, *others, clients.PREFIX + "A" * limits.CLIENT_ID_CHARS]:
        assert clients.registered(SECRET, other) is None, other


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": HTTPS}, "invalid_redirect_uri"),
        ({"redirect_uris": [HTTPS, 1]}, "invalid_redirect_uri"),
        ({"redirect_uris": [HTTPS] * 11}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://client.example/"]}, "invalid_redirect_uri"),
        ({"grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
        ({"client_name": "x" * 81}, "invalid_client_metadata"),
        ({"client_name": "Claude\u202eedualC"}, "invalid_client_metadata"),
        ({"client_name": "two\nlines"}, "invalid_client_metadata"),
        ({"client_name": "\u200b"}, "invalid_client_metadata"),
    ],
)
def test_metadata_that_makes_no_client_is_refused(members: dict[str, object], error: str) -> None:
    given = (
        {"redirect_uris": [HTTPS], **members}
        if members and error != "invalid_redirect_uri"
        else members
    )
    with pytest.raises(BadClient) as refused:
        clients.checked(given)
    assert refused.value.error == error
    assert str(refused.value).endswith(".")


def test_a_client_without_a_name_is_called_by_where_it_leads() -> None:
    names = {
        HTTPS: "client.example",
        "http://127.0.0.1:1/": "a program on this computer",
        "cursor://one/": "the program cursor",
    }
    for address, name in names.items():
        assert clients.checked({"redirect_uris": [address]}) == (name, (address,))


def test_a_program_is_the_host_that_describes_it_or_where_it_leads() -> None:
    named = {
        "https://client.example/client.json": "client.example",
        "http://client.internal:8080/client.json": "client.internal",
        "stoac_abc": "a program on this computer",
    }
    for client_id, name in named.items():
        assert clients.program(client_id, "http://127.0.0.1/callback") == name


@pytest.mark.parametrize("absent", [None, []])
def test_members_that_are_null_or_empty_count_as_absent(absent: object) -> None:
    names = ("grant_types", "response_types", "client_name", "contacts", "client_secret")
    own = "https://client.example/client.json"
    given = {"redirect_uris": [HTTPS], **dict.fromkeys(names, absent)}
    assert clients.checked(given) == ("client.example", (HTTPS,))
    document = {"client_id": own, "token_endpoint_auth_method": absent, **given}
    assert clients.described(own, document) == Client(own, "client.example", (HTTPS,))


def test_redirects_that_are_too_long_together_are_refused() -> None:
    noise = random.Random(1)
    long = [
        f"{HTTPS}/" + "".join(noise.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP", k=460))
        for _ in range(10)
    ]
    made = clients.register(SECRET, "Long", long)
    assert clients.registered(SECRET, made.id) == made


@pytest.mark.parametrize(
    ("client_id", "is_one"),
    [
        ("https://client.example/client.json", True),
        ("https://client.example/a/b?v=1", True),
        ("https://client.example", False),
        ("https://client.example/", False),
        ("https://client.example/../client.json", False),
        ("https://client.example/./client.json", False),
        ("https://user@client.example/client.json", False),
        ("https://client.example/client.json#a", False),
        ("http://client.example/client.json", False),
        ("stoac_abc", False),
        ("javascript:alert(1)", False),
    ],
)
def test_only_an_https_address_with_a_path_names_a_document(client_id: str, is_one: bool) -> None:
    assert clients.is_document(client_id) is is_one


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        {"client_id": None},
        {"client_id": "https://other.example/client.json", "redirect_uris": [HTTPS]},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"redirect_uris": ["http://client.example/"]},
    ],
)
def test_a_document_of_another_client_or_with_a_secret_is_refused(metadata: Any) -> None:
    own = "https://client.example/client.json"
    given = metadata and {"client_id": own, "redirect_uris": [HTTPS], **metadata}
    with pytest.raises(BadClient):
        clients.described(own, given)
    good = {"client_id": own, "client_name": "Editor", "redirect_uris": [HTTPS]}
    assert clients.described(own, good) == Client(own, "Editor", (HTTPS,))
