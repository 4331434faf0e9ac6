"""Webhooks: which addresses they may have, what is signed, and when a delivery is tried again."""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import urlsplit

from nacl.signing import SigningKey

from stoa.domain import limits

TEST = "webhook.test"
"""The kind of the event that a test sends. It is in no log and no inbox."""

SECRET_BYTES = 32

_NO_ADDRESS = (
    "Must be an address with a host and without a password, such as https://agent.example/hook."
)
_NO_HTTPS = "Must begin with https://, such as https://agent.example/hook."


class WebhookSigner(NamedTuple):
    """The key that the service signs deliveries with."""

    key: SigningKey

    @classmethod
    def of(cls, secret: bytes) -> "WebhookSigner":
        """The key that follows from the secret."""
        return cls(SigningKey(secret))

    @property
    def public_key(self) -> str:
        """What signatures are checked with, in hex."""
        return bytes(self.key.verify_key).hex()

    @property
    def id(self) -> str:
        """A short name of the key."""
        return self.public_key[:16]

    def signature(self, message_id: str, seconds: int, body: bytes) -> str:
        """The signature of a delivery at this Unix second, as Standard Webhooks writes it."""
        signed = self.key.sign(f"{message_id}.{seconds}.".encode() + body).signature
        return f"v1a,{b64encode(signed).decode()}"


def check_address(url: str, *, plain: bool) -> str | None:
    """Why an address cannot be that of a webhook, None if it can. Without `plain` it is https."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return _NO_ADDRESS
    if not usable or not url.isascii() or not url.isprintable() or parts.fragment:
        return _NO_ADDRESS
    return None if parts.scheme == "https" or (plain and parts.scheme == "http") else _NO_HTTPS


class Failure(NamedTuple):
    """Why a delivery failed, in a sentence for the webhook's agent; whether the receiver wants no
    more of them, and for how long (ms) it wants none."""

    problem: str
    is_final: bool = False
    pause_ms: int = 0


def next_attempt(failures: int, since: int, now: int, pause_ms: int = 0) -> int | None:
    """When (ms) a delivery is tried again that failed now, the first time at `since`, after so many
    failures before, and not before `pause_ms` have passed; None when it has failed for too long."""
    last = since + limits.WEBHOOK_GIVE_UP_MS
    if now >= last:
        return None
    pauses = limits.WEBHOOK_PAUSES_MS
    own = min(now + pauses[min(failures, len(pauses) - 1)], last)
    return max(own, now + pause_ms)
