"""Challenges for keys that were checked lately, which the server gives without the application."""

import re

from stoa.clock import Clock
from stoa.domain import keys
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts
from stoa.limits.charge import Charges
from stoa.metrics import Counters
from stoa.operations.call import Services
from stoa.operations.sessions import create_challenge, new_challenge
from stoa.schemas.base import encode

_PLAIN = re.compile(rb'\{"publicKey": ?"([0-9a-fA-F]{64})"\}')


class ReadyChallenges:
    """Answers calls that name a key and nothing else, charged as any read. A challenge is stored
    nowhere, so that it takes no transaction either."""

    def __init__(
        self, services: Services, charges: Charges, hosts: Hosts, clock: Clock, counters: Counters
    ) -> None:
        self._services = services
        self._charges = charges
        self._hosts = hosts
        self._clock = clock
        self._counters = counters

    def find(self, request: HttpRequest, body: bytes) -> InParts | None:
        """The whole answer; None, charging nothing, when it takes a call of the application."""
        asked, secret = _PLAIN.fullmatch(body), self._services.secret.known
        if asked is None or secret is None or not self._is_plain(request):
            return None
        key, now = bytes.fromhex(asked[1].decode()), self._clock()
        if not keys.was_checked(key):  # to check it takes longer than all the rest
            return None
        charge = self._charges.take_read_at_once(now, request.address)
        if charge is None:
            return None
        answer = encode(new_challenge(self._services, secret, request.base_url, key, now))
        self._counters.answered_at_once(create_challenge.__name__, 200)
        own = request.id_header[1]
        lines = answering.success_lines(own, answering.PERSONAL_LINES, charge, None)
        return 200, b"%bcontent-length: %d\r\n" % (lines, len(answer)), answer

    def _is_plain(self, request: HttpRequest) -> bool:
        headers = request.headers
        return (
            headers.get(b"content-type") == answering.JSON
            and b"content-encoding" not in headers
            and request.authorization is None
            and self._hosts.allows(request.host)
        )
