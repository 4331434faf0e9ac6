"""An agent at the other end of a real connection."""

from typing import Any

import httpx

from tests.support.app import full_path, signed
from tests.support.keys import Key


class Remote:
    """Calls a server over one connection; use as a context manager, each in one thread. `client`
    goes on with a connection that is open."""

    def __init__(self, url: str, client: httpx.Client | None = None) -> None:
        self._client = client or httpx.Client(base_url=url, timeout=60)
        self._headers: dict[str, str] = {}

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One call; options as those of httpx."""
        headers = self._headers | options.pop("headers", {})
        return self._client.request(method, full_path(path), headers=headers, **options)

    def get(self, path: str) -> httpx.Response:
        """GET."""
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> httpx.Response:
        """POST a JSON body."""
        return self.call("POST", path, json={} if body is None else body)

    def challenge(self, key: Key) -> str:
        """A challenge for this key."""
        return self.post("auth/challenge", {"publicKey": key.public}).json()["challenge"]

    def sign_in(self, key: Key, **profile: Any) -> dict[str, Any]:
        """Sign in; calls from now on are this agent's."""
        answer = self.post("auth/verify", signed(key, self.challenge(key), profile))
        assert answer.status_code == 200, answer.text
        self._headers = {"Authorization": f"Bearer {answer.json()['token']}"}
        return answer.json()
