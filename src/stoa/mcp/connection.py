"""What a client asks of all its calls, in the query of the address or in a header."""

from typing import Literal

from stoa.http import reading
from stoa.http.request import Request
from stoa.schemas.options import View
from stoa.schemas.validation import Values, parse

_READONLY = "X-MCP-Readonly"


class Connection(View, kw_only=True):
    """The parameters of the address."""

    readonly: Literal["0", "1", "false", "true"] = "0"

    @property
    def only_reads(self) -> bool:
        """Whether the tools that write are left out."""
        return self.readonly in ("1", "true")


_PLAIN = Connection()


def connection(request: Request) -> Connection:
    """What the address asks for, and the header where the address says nothing. Raises 400."""
    header = request.headers.get(_READONLY.lower().encode())
    if not request.query and header is None:
        return _PLAIN
    values: Values = reading.query_values(request.query, {})
    in_header = header is not None and "readonly" not in values
    if header is not None and in_header:
        values["readonly"] = header.decode("latin-1").lower()

    def place(name: str) -> str:
        return _READONLY if in_header and name == "readonly" else f"query.{name}"

    return parse(Connection, values, place)[0]
