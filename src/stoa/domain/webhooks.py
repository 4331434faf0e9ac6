"""Webhooks: their allowed addresses, the signed text, and when a delivery is retried."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlsplit

from nacl.signing import SigningKey

from stoa.domain import limits

TEST = "webhook.test"
"""The kind of the event that a test sends. It is in no log and no inbox."""

SECRET_BYTES = 32

SUBSCRIPTION_HEADER = "X-MCP-Subscription-Id"
_CLIENT_SECRET = "whsec_"  # noqa: S105 - it is only how one begins
_CLIENT_SECRET_BYTES = range(24, 65)

_NO_ADDRESS = (
    "Must be an address in ASCII with a host, without a password and without `#`, such as "
    "https://agent.example/hook."
)
_NO_HTTPS = "Must begin with https://, such as https://agent.example/hook."


class ClientSecrets(NamedTuple):
    """The keys that a client gave, with which deliveries to it are signed: the newest first, and
    the one before while it changes."""

    keys: tuple[bytes, ...]

    @classmethod
    def of(cls, secret: str, former: str | None = None) -> "ClientSecrets":
        """The keys in these secrets. Raises ValueError for what is none."""
        return cls(tuple(_client_key(one) for one in (secret, former) if one))

    def signature(self, message_id: str, seconds: int, body: bytes) -> str:
        """The signatures of a delivery at this Unix second, as Standard Webhooks writes them."""
        signed = f"{message_id}.{seconds}.".encode() + body
        made = (hmac.digest(key, signed, sha256) for key in self.keys)
        return " ".join(f"v1,{b64encode(one).decode()}" for one in made)


def _client_key(secret: str) -> bytes:
    if not secret.startswith(_CLIENT_SECRET):
        raise ValueError("no secret of a client")
    key = b64decode(secret.removeprefix(_CLIENT_SECRET), validate=True)
    if len(key) not in _CLIENT_SECRET_BYTES:
        raise ValueError("too short or too long")
    return key


def subscription_id(agent_id: str, url: str, name: str, arguments: str) -> str:
    """The id of a subscription: the same for the same agent, address and events."""
    parts = f"{agent_id}\n{url}\n{name}\n{arguments}"
    return f"sub_{sha256(parts.encode()).hexdigest()[:32]}"


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


def signed_headers(
    signer: ClientSecrets | WebhookSigner,
    message_id: str,
    seconds: int,
    body: bytes,
    subscription_id: str | None = None,
) -> Mapping[str, str]:
    """The headers of a delivery at this Unix second."""
    of = {} if subscription_id is None else {SUBSCRIPTION_HEADER: subscription_id}
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signer.signature(message_id, seconds, body),
        **of,
    }


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


def check_given(given: object, *, plain: bool) -> str | None:
    """Why what a client gave, of any type and length, cannot be such an address, None if it can."""
    if not isinstance(given, str):
        return "It must be text."
    if len(given) > limits.WEBHOOK_ADDRESS_CHARS:
        return f"It may have {limits.WEBHOOK_ADDRESS_CHARS} characters at most."
    return check_address(given, plain=plain)


class Failure(NamedTuple):
    """Why a delivery failed, in a sentence for the webhook's agent and as one of few categories for
    the client of a subscription; whether the receiver wants no more of them, for how long (ms) it
    wants none, and whether this one is too large for it."""

    problem: str
    category: str
    is_final: bool = False
    pause_ms: int = 0
    too_large: bool = False


def next_attempt(failures: int, since: int, now: int, pause_ms: int = 0) -> int | None:
    """When (ms) a delivery is tried again that failed now, the first time at `since`, after so many
    failures before, and not before `pause_ms` have passed; None when it has failed for too long."""
    last = since + limits.WEBHOOK_GIVE_UP_MS
    if now >= last:
        return None
    pauses = limits.WEBHOOK_PAUSES_MS
    own = min(now + pauses[min(failures, len(pauses) - 1)], last)
    return max(own, now + pause_ms)
