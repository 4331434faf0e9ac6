"""Refused sign-ins with the key of an agent and with one that no agent has: how long each takes."""

import random
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import NamedTuple

import msgspec
from nacl.signing import SigningKey

from stoa.domain.oauth import TOKEN
from tools.bench.http_requests import form
from tools.bench.ranks import mann_whitney
from tools.bench.registry import Result, row
from tools.bench.rows import oauth, sign_in
from tools.bench.rows.oauth import claims, fields, signed
from tools.bench.stage import BenchFailed, Side, Stage

P_LEAST = 0.01
GAP_MOST = 0.05
_KEYS = 500
_ROUNDS = 10
_TRIES = 2
"""Without any difference one measurement in a hundred has a smaller p than `P_LEAST`."""
_ANSWER_BYTES = 65_536

Make = Callable[[SigningKey], bytes]


class _Samples(NamedTuple):
    """Seconds that each request took."""

    known: list[float]
    unknown: list[float]

    @property
    def p(self) -> float:
        """How likely they are if the key makes no difference."""
        return mann_whitney(self.known, self.unknown)

    @property
    def would_show(self) -> bool:
        """Whether a gap that is too large would be noticed among this noise."""
        later = [seconds * (1 + GAP_MOST) for seconds in self.unknown]
        return mann_whitney(self.unknown, later) < P_LEAST

    @property
    def gap(self) -> float:
        """By how much of itself the median differs."""
        middle = statistics.median(self.unknown)
        return abs(statistics.median(self.known) - middle) / middle

    @property
    def passes(self) -> bool:
        """Whether they show that the key makes no difference."""
        return self.p > P_LEAST and self.gap < GAP_MOST and self.would_show


@row
def sign_in_timing(stage: Stage) -> Iterator[Result]:
    """Whether the time of an answer tells that a key is an agent's, before the key has signed. Each
    key was asked about before, as the first answer about any key takes longer."""
    known, unknown = ([SigningKey.generate() for _ in range(_KEYS)] for _ in range(2))
    addresses = cycle(stage.addresses)
    sign_ins = [
        oauth.request(key, address, claims(stage.stoa))
        for key, address in zip(known, addresses, strict=False)
    ]
    stage.run(Side(stage.stoa, sign_ins), 8, once=True)
    both = zip([*known, *unknown], addresses, strict=False)
    first = [sign_in.request(sign_in.CHALLENGE, address, key) for key, address in both]
    stage.run(Side(stage.stoa, first), 8, once=True)
    for name, status, make in _calls(stage, addresses):
        yield _judged(name, stage, status, [make(key) for key in known], list(map(make, unknown)))


def _calls(stage: Stage, addresses: Iterator[str]) -> Iterator[tuple[str, int, Make]]:
    """Calls that name a key, each with the status of its answer."""
    stranger = SigningKey.generate()

    def challenge(key: SigningKey) -> bytes:
        return sign_in.request(sign_in.CHALLENGE, next(addresses), key)

    def verify(key: SigningKey) -> bytes:
        asked = msgspec.json.encode({"publicKey": _public(key)})
        headers = {"Content-Type": "application/json", "X-Forwarded-For": next(addresses)}
        answer = stage.stoa.ask("POST", sign_in.CHALLENGE, asked, headers).read()
        text: str = msgspec.json.decode(answer)["challenge"]
        signature = stranger.sign(text.encode()).signature.hex()
        sent = {"challenge": text, "signature": signature}
        return sign_in.request(sign_in.VERIFY, next(addresses), key, **sent)

    def assertion(key: SigningKey) -> bytes:
        content, _, _ = signed(key, claims(stage.stoa)).rpartition(".")
        _, _, signature = signed(stranger, claims(stage.stoa)).rpartition(".")
        return form(TOKEN, next(addresses), fields(f"{content}.{signature}"))

    yield "a challenge", 200, challenge
    yield "a challenge with a wrong signature", 401, verify
    yield "an assertion with a wrong signature", 401, assertion


def _judged(
    name: str, stage: Stage, status: int, known: list[bytes], unknown: list[bytes]
) -> Result:
    found = _sampled(stage, status, known, unknown)
    for _ in range(_TRIES - 1):
        if found.passes:
            break
        found = _sampled(stage, status, known, unknown)
    return Result(
        f"timing of {name}",
        f"p {found.p:.3f}, gap {found.gap:.1%}",
        f"p > {P_LEAST}, gap < {GAP_MOST:.0%}",
        found.passes,
        f"{len(found.known):,} of each, median {statistics.median(found.unknown) * 1e6:,.0f} µs",
    )


def _sampled(stage: Stage, status: int, known: list[bytes], unknown: list[bytes]) -> _Samples:
    """Each request some times, in random order over one connection."""
    asked = [(True, request) for request in known] + [(False, request) for request in unknown]
    samples = _Samples([], [])
    with socket.create_connection(("127.0.0.1", stage.stoa.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(_ROUNDS):
            random.shuffle(asked)
            for is_known, request in asked:
                seconds = _timed(connection, request, status)
                (samples.known if is_known else samples.unknown).append(seconds)
    return samples


def _timed(connection: socket.socket, request: bytes, status: int) -> float:
    start = time.perf_counter()
    connection.sendall(request)
    answer = connection.recv(_ANSWER_BYTES)
    seconds = time.perf_counter() - start
    if not answer.startswith(b"HTTP/1.1 %d " % status):
        raise BenchFailed(f"a wrong answer: {answer.decode()}")
    return seconds


def _public(key: SigningKey) -> str:
    return key.verify_key.encode().hex()
