"""A reader who follows a document to the letter: runs its blocks in order, as they are printed."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
from nacl.signing import SigningKey

from tests.support.blocks import Block, blocks
from tests.support.server import environment
from tests.support.shell import Shell

_REQUEST = re.compile(
    r"(?P<method>GET|POST) (?P<url>\S+)\n(?P<headers>(?:[\w-]+: .*\n)*)(?:\n(?P<body>.+)\n)?"
)
_FORMS = {"threadId": "th_", "jobId": "job_"}
_BLANK = re.compile(r"<([A-Z_]+)>")


class Request(NamedTuple):
    """A request as a block prints it."""

    method: str
    url: str
    headers: dict[str, str]
    body: str


class Reader:
    """Runs blocks, and fills blanks such as `<THREAD_ID>` in with what it has and was told.

    A name that Python blocks define stands for itself: `<PUBLIC_KEY>` is `public_key`. Each kind of
    block has one way to be run; a block of another kind is an AssertionError.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self._names: dict[str, Any] = {}
        self._told: list[Any] = []
        self._etag = ""
        self._ways: dict[str, Callable[[str], Any]] = {
            "http": self._http,
            "json": self._json,
            "python": self._python,
            "sh": self._sh,
        }
        self._key = SigningKey.generate()
        self._names["public_key"] = self._key.verify_key.encode().hex()
        self._names["sign"] = self._sign

    def read(self, path: str) -> list[Block]:
        """The blocks of a document of the server, in order."""
        answer = httpx.get(self._url + path, timeout=60).raise_for_status()
        return blocks(answer.headers["content-type"], answer.text)

    def run(self, block: Block) -> Any:
        """Run a block; the body of the answer where it is a request."""
        assert block.kind in self._ways, f"nothing here runs a block of the kind {block.kind!r}"
        return self._ways[block.kind](block.text)

    def _sign(self, text: str) -> str:
        return self._key.sign(text.encode()).signature.hex()

    # --- Requests.

    def _http(self, text: str) -> Any:
        request = self._filled(text)
        answer = self._send(request)
        if "Idempotency-Key" in request.headers:
            assert self._send(request).content == answer.content, "done twice"
        if answer.status_code == 304:
            assert answer.content == b""
            return None
        self._etag = answer.headers.get("etag", "")
        self._told.append(answer.json())
        return answer.json()

    def _filled(self, text: str) -> Request:
        printed = _REQUEST.fullmatch(_BLANK.sub(lambda found: self._known(found[1]), text))
        assert printed, f"not a request: {text}"
        headers = dict(line.split(": ", 1) for line in printed["headers"].splitlines())
        return Request(printed["method"], printed["url"], headers, printed["body"] or "")

    def _send(self, request: Request) -> httpx.Response:
        method, url, headers, body = request
        content = body.encode() or None
        answer = httpx.request(method, url, headers=headers, content=content, timeout=60)
        expected = [304] if "If-None-Match" in headers else [200, 201]
        assert answer.status_code in expected, (request, answer.text)
        assert '"warnings"' not in answer.text, (request, answer.text)
        return answer

    def _known(self, blank: str) -> str:
        match blank:
            case "UUID":
                return str(uuid4())
            case "ETAG":
                return self._etag
            case "SIGNATURE":
                return self._names["sign"](self._known("CHALLENGE"))
            case "ACCESS_TOKEN":
                return self._told_of("token")
            case _ if blank.lower() in self._names:
                return self._names[blank.lower()]
            case _:
                first, *rest = blank.lower().split("_")
                return self._told_of(first + "".join(word.capitalize() for word in rest))

    def _told_of(self, name: str) -> str:
        """What an answer said last under this name: `threadId` is also the `id` of a `thread`, or
        of a row that is one by the form of its `id`."""
        for answer in reversed(self._told):
            for found in _members(answer, name):
                return found
        raise AssertionError(f"no answer has said what <{name}> is")

    # --- Programs.

    def _python(self, text: str) -> None:
        exec(text, self._names)  # noqa: S102 - the next block finds what this one defines

    @cached_property
    def _shell(self) -> Shell:
        return Shell(self._folder)

    def _sh(self, text: str) -> None:
        self._shell.run(text)

    # --- Data.

    def _json(self, text: str) -> None:
        value: dict[str, Any] | list[Any] = json.loads(text)
        if isinstance(value, dict):
            for server in value.get("mcpServers", {}).values():
                self._start([server["command"], *server["args"]])

    def _start(self, command: list[str]) -> None:
        """A program that a client of MCP is told to start has to serve tools."""
        assert command[0] == "stoa", command
        done = subprocess.run(
            [sys.executable, "-m", *command],
            input='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
            cwd=self._folder,
            env=environment({}) | {"HOME": str(self._folder)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["result"]["tools"]) > 0

    def close(self) -> None:
        """End the shell, if a block needed one."""
        if "_shell" in self.__dict__:
            self._shell.close()


def _members(value: Any, name: str) -> list[str]:
    if isinstance(value, list):
        return [one for item in value for one in _members(item, name)]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return []
    members: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    own = [members[name]] if isinstance(members.get(name), str) else []
    if str(members.get("id", "")).startswith(_FORMS.get(name, "\0")):
        own.append(members["id"])
    resource = members.get(name.removesuffix("Id"))
    if name.endswith("Id") and isinstance(resource, dict):
        own.append(resource["id"])
    return [*own, *(one for item in members.values() for one in _members(item, name))]
