"""How long the certificate of the operator's own address is valid, as its clients see it."""

import asyncio
import ssl
from urllib.parse import urlsplit

from stoa.clock import Clock, elapsed_ms
from stoa.domain import limits

_HTTPS = 443


class Certificate:
    """The certificate at an address, which is looked at now and then."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._parts = urlsplit(url)
        self._clock = clock
        self._looked_at: int | None = None
        self._ends_at: int | None = None

    async def seconds_left(self) -> float | None:
        """How long clients accept it, 0 where they do not; None without https, or where this
        machine does not reach the address."""
        if self._parts.scheme != "https":
            return None
        now = elapsed_ms()
        if self._looked_at is None or now - self._looked_at >= limits.CERTIFICATE_LOOK_MS:
            self._looked_at, self._ends_at = now, await self._look()
        return self._ends_at and max(0.0, (self._ends_at - self._clock()) / 1000)

    async def _look(self) -> int | None:
        host, port = self._parts.hostname or "", self._parts.port or _HTTPS
        try:
            async with asyncio.timeout(limits.CERTIFICATE_ANSWER_MS / 1000):
                context = await asyncio.to_thread(ssl.create_default_context)
                _, writer = await asyncio.open_connection(host, port, ssl=context)
        except ssl.SSLCertVerificationError:
            return 1
        except (OSError, TimeoutError):
            return None
        try:
            found = writer.get_extra_info("peercert")
            return 1000 * int(ssl.cert_time_to_seconds(found["notAfter"]))
        finally:
            writer.close()
