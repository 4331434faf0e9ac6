"""The OpenAPI description: the whole of it, or the operations that the query names."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal
from stoa.web.documents import Endpoint
from stoa.web.errors import refused_json
from stoa.web.negotiation import PageFormat

_HEADERS = {"Cache-Control": "public, no-cache"}


def description(whole: Endpoint, openapi_of: Callable[[list[str]], bytes], origin: str) -> Endpoint:
    """The endpoint of the description; `whole` serves it where the query names no operation."""

    async def serve(request: Request) -> Response:
        asked = ",".join(request.query_params.getlist("operations"))
        names = [name.strip() for name in asked.split(",") if name.strip()]
        if not names:
            return await whole(request)
        try:
            return Response(openapi_of(names), 200, _HEADERS, PageFormat.JSON)
        except Refusal as refusal:
            return refused_json(request, refusal, origin)

    return serve
