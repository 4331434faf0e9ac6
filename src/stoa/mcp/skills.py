"""The skill of this service as MCP serves it (SEP-2640), and its one file as a resource."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from stoa.domain.skills import digest, frontmatter
from stoa.mcp.codes import INVALID_PARAMS
from stoa.mcp.messages import McpMessage, ProtocolError

_MEDIA_TYPE = "text/markdown"
_encode = msgspec.json.encode


class Skills:
    """Answers what clients ask about skills and resources; `text` makes the SKILL.md."""

    def __init__(self, text: Callable[[], bytes]) -> None:
        self._make = text
        self.answers: dict[str, Callable[[McpMessage], bytes]] = {
            "skills/list": lambda message: self._list(message, skills=[self._entry]),
            "skills/get": lambda message: self._found(message, skill=self._entry),
            "resources/list": lambda message: self._list(message, resources=[self._resource]),
            "resources/templates/list": lambda message: self._list(message, resourceTemplates=[]),
            "resources/read": lambda message: self._found(message, contents=[self._content]),
        }

    @cached_property
    def _text(self) -> bytes:
        return self._make()

    @cached_property
    def _said(self) -> dict[str, str]:
        return frontmatter(self._text)

    @property
    def _uri(self) -> str:
        return f"skill://{self._said['name']}/SKILL.md"

    @property
    def _entry(self) -> dict[str, Any]:
        size = len(self._text)
        file = {"uri": self._uri, "digest": digest(self._text), "size": size}
        return {"uri": self._uri, "frontmatter": self._said, "resources": [file]}

    @property
    def _resource(self) -> dict[str, Any]:
        return {
            "uri": self._uri,
            "name": self._said["name"],
            "description": self._said["description"],
            "mimeType": _MEDIA_TYPE,
            "size": len(self._text),
        }

    @property
    def _content(self) -> dict[str, Any]:
        return {"uri": self._uri, "mimeType": _MEDIA_TYPE, "text": self._text.decode()}

    def _list(self, message: McpMessage, **members: Any) -> bytes:
        if message.params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "No such cursor: there is one page.")
        return _encode(members)[1:-1]

    def _found(self, message: McpMessage, **members: Any) -> bytes:
        uri = message.params.get("uri")
        if uri != self._uri:
            problem = f"No such skill or resource. There is one: {self._uri}."
            given = {"uri": uri[:200]} if isinstance(uri, str) else None
            raise ProtocolError(INVALID_PARAMS, problem, given)
        return _encode(members)[1:-1]
