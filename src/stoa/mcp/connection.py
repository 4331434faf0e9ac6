"""The options of a connection for all its calls, in the query of the address or in headers."""

from typing import Literal

from msgspec import field

from stoa.http import reading
from stoa.http.request import HttpRequest
from stoa.operations.table import Operation, Toolset
from stoa.schemas.options import View
from stoa.schemas.validation import Values, parse, shapes

_HEADERS = {"readonly": "X-MCP-Readonly", "toolsets": "X-MCP-Toolsets"}


class AddressOptions(View, kw_only=True):
    """The parameters of the address."""

    readonly: Literal["0", "1", "false", "true"] = "0"
    toolsets: list[Toolset] = field(default_factory=lambda: [Toolset.DEFAULT])

    @property
    def only_reads(self) -> bool:
        """Whether the tools that write are left out."""
        return self.readonly in ("1", "true")

    def lists(self, operation: Operation) -> bool:
        """Whether an operation is one of the tools."""
        is_wanted = not operation.toolsets.isdisjoint(self.toolsets)
        return is_wanted and not (self.only_reads and operation.writes)


PLAIN = AddressOptions()


def connection(request: HttpRequest) -> tuple[AddressOptions, bool]:
    """What the address asks for, and headers where the address says nothing; and whether headers
    ask for something. Raises 400."""
    headed = _in_headers(request)
    if not request.query and not headed:
        return PLAIN, False
    values = reading.query_values(request.query, shapes(AddressOptions))

    def place(name: str) -> str:
        return f"query.{name}" if name in values or name not in headed else _HEADERS[name]

    return parse(AddressOptions, {**headed, **values}, place)[0], bool(headed)


def _in_headers(request: HttpRequest) -> Values:
    """The parameters that have a header, as their fields are read. Empty ones count as absent."""
    kinds = shapes(AddressOptions)
    texts = {
        name: request.headers.get(header.lower().encode(), b"").decode("latin-1")
        for name, header in _HEADERS.items()
    }
    return {
        name: kinds[name].read(text.lower().replace(" ", ""))
        for name, text in texts.items()
        if text.strip()
    }
