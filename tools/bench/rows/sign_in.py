"""Sign-ins with a key against what they cannot do without: two POSTs and a verification."""

import statistics
import time
from collections.abc import Iterator
from itertools import cycle, islice

import msgspec
from nacl.signing import SigningKey

from stoa.domain import keys
from tools.bench import servers
from tools.bench.http_requests import HOST, post
from tools.bench.registry import Result, at_least, row
from tools.bench.rows.reads import CONNECTIONS, thread_path, yardstick
from tools.bench.rows.writes import answer_to_reply, replies
from tools.bench.servers import Server
from tools.bench.stage import Side, Stage

TARGET = 0.50
CHALLENGE, VERIFY = "/api/v1/auth/challenge", "/api/v1/auth/verify"
_KEYS = 64
_A_ROUND = 2_000
_VERIFIES = 2_000
_Asked = tuple[str, SigningKey]


@row
def sign_in_with_a_key(stage: Stage) -> Iterator[Result]:
    """Challenges and durable sign-ins of known keys, against raw verifications plus bare POSTs."""
    verification_s = _verify_s()
    own = [SigningKey.generate() for _ in range(_KEYS)]
    spec = yardstick(stage.stoa, thread_path(stage.world.threads[0]))
    spec.post, spec.tokens = answer_to_reply(stage), stage.world.tokens
    _sign_in(stage, own, _KEYS)  # which registers them
    with servers.bare(spec) as bare:
        ratios: list[float] = []
        signed_in = posts = 0.0
        for _ in range(stage.rounds):
            signed_in = _sign_in(stage, own, _A_ROUND)
            side = Side(bare, replies(stage, stage.world.quiet), (201,))
            posts = stage.run(side, CONNECTIONS[0]).per_second
            ratios.append(signed_in * (2 / posts + verification_s))
    detail = (
        f"{min(ratios):.2f}-{max(ratios):.2f}, {signed_in:,.0f} durable sign-ins beside "
        f"{posts:,.0f} bare POSTs and {1 / verification_s:,.0f} verifications a second"
    )
    yield at_least("sign-in with a key", statistics.median(ratios), TARGET, detail)


def _sign_in(stage: Stage, own: list[SigningKey], count: int) -> float:
    """Sign in so often, and say how many a second."""
    asked: list[_Asked] = list(islice(zip(stage.addresses, cycle(own), strict=False), count))
    asking = [request(CHALLENGE, address, key) for address, key in asked]
    verifying = [_verify(stage.stoa, address, key) for address, key in asked]
    sides = Side(stage.stoa, asking), Side(stage.stoa, verifying)
    return count / sum(stage.run(side, CONNECTIONS[0], once=True).seconds for side in sides)


def _verify_s() -> float:
    """The seconds of one verification of a signature under a challenge."""
    key, text = SigningKey.generate(), b"x" * 100
    public, signature = key.verify_key.encode(), key.sign(text).signature
    start = time.perf_counter()
    for _ in range(_VERIFIES):
        assert keys.verify(public, text, signature)
    return (time.perf_counter() - start) / _VERIFIES


def _verify(server: Server, address: str, key: SigningKey) -> bytes:
    """The sign-in of a key, with a challenge that is asked for from this address."""
    headers = {"Content-Type": "application/json", "Host": HOST, "X-Forwarded-For": address}
    body = msgspec.json.encode({"publicKey": key.verify_key.encode().hex()})
    return signed(address, key, server.ask("POST", CHALLENGE, body, headers).read())


def signed(address: str, key: SigningKey, answer: bytes) -> bytes:
    """The sign-in of a key that was given this answer with a challenge."""
    challenge: str = msgspec.json.decode(answer)["challenge"]
    signature = key.sign(challenge.encode()).signature.hex()
    return request(VERIFY, address, key, challenge=challenge, signature=signature)


def request(path: str, address: str, key: SigningKey, **members: str) -> bytes:
    """A request that names a key."""
    return post(path, address, None, {"publicKey": key.verify_key.encode().hex(), **members})
