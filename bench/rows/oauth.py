"""Sign-ins by client credentials against what they cannot do without: a POST and a verification."""

import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from itertools import cycle

import msgspec
from nacl.signing import SigningKey

from bench import servers
from bench.http_requests import form
from bench.registry import Result, at_least, row
from bench.rows.reads import CONNECTIONS, thread_path, yardstick
from bench.rows.writes import answer_to_reply, replies
from bench.stage import Side, Stage
from stoa.domain import keys
from stoa.domain.assertions import TYPE
from stoa.domain.oauth import ISSUER, TOKEN

SIGN_IN_TARGET = 0.5
_KEYS = 64
_ASSERTIONS = 60_000
_VERIFIES = 2_000
_GOOD_S = 300


@row
def sign_in_by_client_credentials(stage: Stage) -> Iterator[Result]:
    """Sign-ins of known keys, each durable, against raw verifications plus bare POSTs."""
    verify_s = _verify_s()
    spec = yardstick(stage.stoa, thread_path(stage.world.threads[0]))
    spec.post, spec.tokens = answer_to_reply(stage), stage.world.tokens
    with servers.bare(spec) as bare:
        for connections in CONNECTIONS:
            ours, theirs = Side(stage.stoa, _sign_ins(stage)), Side(bare, replies(stage), 201)
            found = stage.compare(ours, theirs, connections)
            posts = found.theirs.per_second
            # The time of one POST and one verification, over the time of one sign-in.
            ratio = found.ratio * (1 + posts * verify_s)
            name = f"sign-in by client credentials, {connections} connections"
            detail = f"{found.detail}, {1 / verify_s:,.0f} verifications a second"
            yield at_least(name, ratio, SIGN_IN_TARGET, detail)


def _verify_s() -> float:
    """The seconds of one verification of a signature as long as that of an assertion."""
    key, text = SigningKey.generate(), b"x" * 400
    public, signature = key.verify_key.encode(), key.sign(text).signature
    start = time.perf_counter()
    for _ in range(_VERIFIES):
        assert keys.verify(public, text, signature)
    return (time.perf_counter() - start) / _VERIFIES


def _sign_ins(stage: Stage) -> list[bytes]:
    """Requests that are good for five minutes, each once."""
    own = [SigningKey.generate() for _ in range(_KEYS)]
    issuer = f"http://127.0.0.1:{stage.stoa.port}{ISSUER}"
    ends_at = int(time.time()) + _GOOD_S
    pairs = zip(range(_ASSERTIONS), cycle(own), cycle(stage.addresses), strict=False)
    return [
        _request(key, address, {"aud": issuer, "exp": ends_at, "jti": str(number)})
        for number, key, address in pairs
    ]


def _request(key: SigningKey, address: str, claims: dict[str, object]) -> bytes:
    public = key.verify_key.encode().hex()
    content = b".".join(
        (_part(b'{"alg":"EdDSA"}'), _part(_encode({"iss": public, "sub": public, **claims})))
    )
    assertion = content + b"." + _part(key.sign(content).signature)
    fields = {"grant_type": "client_credentials", "client_assertion_type": TYPE}
    return form(TOKEN, address, {**fields, "client_assertion": assertion.decode()})


def _part(raw: bytes) -> bytes:
    return urlsafe_b64encode(raw).rstrip(b"=")


_encode = msgspec.json.encode
