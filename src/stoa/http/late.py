"""An application whose modules are imported at its first request."""

import asyncio
import gc
from collections.abc import Callable
from threading import Lock

from stoa.http.wire import Application, Receive, Scope, Send


class LateApplication:
    """What `make` makes, on a thread of its own: that may take a tenth of a second. The start of
    the server does not wait for it, and a server that is never asked for it does not load it."""

    def __init__(self, make: Callable[[], Application]) -> None:
        self._make = make
        self._made: Application | None = None
        self._making = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        made = self._made or await asyncio.to_thread(self._once)
        await made(scope, receive, send)

    def _once(self) -> Application:
        with self._making:
            if self._made is None:
                self._made = self._make()
                gc.freeze()  # of what was loaded nothing is ever garbage
            return self._made
