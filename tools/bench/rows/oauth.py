"""Sign-ins by client credentials against what they cannot do without: a POST and a verification."""

import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from itertools import count, cycle, islice
from urllib.parse import urlencode

import msgspec
from nacl.signing import SigningKey

from stoa.domain.assertions import TYPE
from stoa.domain.oauth import ISSUER, TOKEN
from tools.bench import servers
from tools.bench.bare import Answer, Spec, Verification
from tools.bench.http_requests import form
from tools.bench.registry import Result, at_least, row
from tools.bench.rows.reads import CONNECTIONS
from tools.bench.servers import Server
from tools.bench.stage import Side, Stage

SIGN_IN_TARGET = 0.5
_KEYS = 64
_ASSERTIONS = 80_000
_GOOD_S = 300
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}

_ids = count()


@row
def sign_in_by_client_credentials(stage: Stage) -> Iterator[Result]:
    """Sign-ins of known keys, each durable, against a server that verifies and keeps nothing.

    Both get the same requests, give the same bytes and verify a text of the same length with the
    same function.
    """
    own = [SigningKey.generate() for _ in range(_KEYS)]
    with servers.bare(_yardstick(stage.stoa, own[0])) as bare:
        for connections in CONNECTIONS:
            requests = list(islice(_sign_ins(stage, own), _ASSERTIONS))
            ours, theirs = Side(stage.stoa, requests), Side(bare, requests)
            found = stage.compare(ours, theirs, connections)
            name = f"sign-in by client credentials, {connections} connections"
            yield at_least(name, found.ratio, SIGN_IN_TARGET, found.detail)


def _yardstick(server: Server, key: SigningKey) -> Spec:
    """A spec that gives this server's answer to a sign-in, after a verification."""
    assertion = signed(key, claims(server))
    content, _, _ = assertion.rpartition(".")
    answer = server.ask("POST", TOKEN, urlencode(fields(assertion)).encode(), _FORM)
    verification = Verification(
        key.verify_key.encode(), content.encode(), key.sign(content.encode()).signature
    )
    given = Answer.of(answer, ("date", "content-length"))
    return Spec(port=0, get=given, post=given, verification=verification)


def _sign_ins(stage: Stage, own: list[SigningKey]) -> Iterator[bytes]:
    """Requests that are good for five minutes, each once."""
    for key, address in zip(cycle(own), cycle(stage.addresses), strict=False):
        yield request(key, address, claims(stage.stoa))


def claims(server: Server) -> dict[str, object]:
    """What an assertion for this server claims beside its key."""
    return claimed(server.origin, int(time.time()))


def claimed(origin: str, now_s: int) -> dict[str, object]:
    """What an assertion for the server at this address claims, from now (s) on."""
    return {"aud": f"{origin}{ISSUER}", "exp": now_s + _GOOD_S, "jti": str(next(_ids))}


def request(key: SigningKey, address: str, content: dict[str, object]) -> bytes:
    """The sign-in of a key, from this address."""
    return form(TOKEN, address, fields(signed(key, content)))


def signed(key: SigningKey, claimed: dict[str, object]) -> str:
    """An assertion of this key."""
    public = key.verify_key.encode().hex()
    content = ".".join(
        (_part(b'{"alg":"EdDSA"}'), _part(_encode({"iss": public, "sub": public, **claimed})))
    )
    return f"{content}.{_part(key.sign(content.encode()).signature)}"


def fields(assertion: str) -> dict[str, str]:
    """The form of a sign-in."""
    kind = {"grant_type": "client_credentials", "client_assertion_type": TYPE}
    return {**kind, "client_assertion": assertion}


def _part(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


_encode = msgspec.json.encode
