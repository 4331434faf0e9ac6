"""The rules of webhooks: their addresses, their signatures, their retries."""

import itertools
from base64 import b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from stoa.domain import limits
from stoa.domain.webhooks import WebhookSigner, check_address, next_attempt

SECOND, HOUR = limits.SECOND_MS, limits.HOUR_MS


def attempts() -> list[int]:
    """When (ms) a delivery is tried that always fails, the first time at 0."""
    found: list[int] = [0]
    while (again := next_attempt(len(found) - 1, 0, found[-1])) is not None:
        found.append(again)
    return found


def test_the_first_retry_comes_within_five_seconds_and_the_last_one_after_a_day() -> None:
    tried = attempts()
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert pauses[0] <= 5 * SECOND
    assert pauses[:-1] == sorted(pauses[:-1])
    assert tried[-1] == 24 * HOUR
    assert len(tried) < 20


@pytest.mark.parametrize("late", [0, 1, HOUR])
def test_what_failed_for_a_day_is_given_up(late: int) -> None:
    assert next_attempt(3, 0, 24 * HOUR + late) is None
    assert next_attempt(3, 0, 24 * HOUR - 1) == 24 * HOUR


def test_a_receiver_can_ask_for_a_longer_pause_and_not_for_a_shorter_one() -> None:
    assert next_attempt(0, 0, 0, pause_ms=HOUR) == HOUR
    assert next_attempt(9, 0, 0, pause_ms=HOUR) == 4 * HOUR
    assert next_attempt(3, 0, 24 * HOUR - 1, pause_ms=HOUR) == 25 * HOUR - 1


def test_a_signature_is_that_of_the_published_key() -> None:
    signer = WebhookSigner.of(bytes(range(32)))
    version, _, signature = signer.signature("ev_1", 1_700_000_000, b"{}").partition(",")
    assert version == "v1a"
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer.public_key))
    key.verify(b64decode(signature), b"ev_1.1700000000.{}")
    assert signer.public_key.startswith(signer.id)


def test_http_needs_the_operators_leave() -> None:
    assert check_address("http://agent.example/", plain=True) is None
    assert check_address("https://agent.example:8443/a?b=c", plain=False) is None
    refused = check_address("http://agent.example/", plain=False)
    assert refused
    assert "https://" in refused


@pytest.mark.parametrize(
    "url", ["https://", "https://a:b@agent.example/", "https://[::1/", "https://a.example/#b", "a"]
)
def test_an_address_without_a_host_or_with_more_than_one_needs_is_refused(url: str) -> None:
    assert check_address(url, plain=True)
