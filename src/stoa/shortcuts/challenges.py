"""Challenges for recently checked keys, issued without the application."""

import re

from stoa.domain import keys
from stoa.http import answering
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts
from stoa.operations.call import Services
from stoa.operations.parts.buckets import Charge
from stoa.operations.sessions import create_challenge, new_challenge
from stoa.schemas.base import encode
from stoa.shortcuts.shortcut import Shortcut, ShortcutParts

_PLAIN = re.compile(rb'\{"publicKey": ?"([0-9a-fA-F]{64})"\}')


class ReadyChallenges(Shortcut[tuple[bytes, bytes]]):
    """Answers requests that have only a key. A challenge is not stored, so it needs no
    transaction."""

    def __init__(self, services: Services, *shared: *ShortcutParts) -> None:
        super().__init__(*shared)
        self._services = services

    def _find(self, request: HttpRequest, body: bytes, _now: int, /) -> tuple[bytes, bytes] | None:
        """The recently checked key, and the secret."""
        asked, secret = _PLAIN.fullmatch(body), self._services.secret.known
        if asked is None or secret is None or not _is_plain(request):
            return None
        key = bytes.fromhex(asked[1].decode())
        # To check it takes longer than all the rest.
        return (key, secret) if keys.was_checked(key) else None

    def _made(
        self, request: HttpRequest, found: tuple[bytes, bytes], charge: Charge, now: int, /
    ) -> tuple[str, InParts]:
        key, secret = found
        answer = encode(new_challenge(self._services, secret, request.base_url, key, now))
        own = request.id_header[1]
        lines = answering.success_lines(own, answering.PERSONAL_LINES, charge, None)
        lines = b"%bcontent-length: %d\r\n" % (lines, len(answer))
        return create_challenge.__name__, (200, lines, answer)


def _is_plain(request: HttpRequest) -> bool:
    headers = request.headers
    return (
        headers.get(b"content-type") == answering.JSON
        and b"content-encoding" not in headers
        and request.authorization is None
    )
