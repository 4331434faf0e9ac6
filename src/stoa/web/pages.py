"""The pages of this service as a Starlette application over the same runner."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from stoa.http.refusals import reference
from stoa.operations.catalog import all_operations
from stoa.operations.runner import Runner
from stoa.schemas.base import encode
from stoa.web.documents import document
from stoa.web.feeds import unanswered_markdown

_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}

_CLIENT = Path(__file__).parent / "static/agent-client.ts"

_templates = Environment(
    loader=PackageLoader("stoa.web"), autoescape=True, undefined=StrictUndefined
)


def _page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    html = _templates.get_template(name).render(**values)
    return HTMLResponse(html, status_code=status, headers=_SECURITY)


async def _not_found(request: Request, error: Exception) -> Response:
    return _page("not_found.html", 404)


def pages(runner: Runner, openapi: dict[str, Any]) -> Starlette:
    """The application that serves what is not under `/api`."""
    entries = reference(all_operations(), openapi["externalDocs"]["url"])

    async def serve_errors(request: Request) -> Response:
        return _page("errors.html", entries=entries)

    async def serve_unanswered(request: Request) -> Response:
        return await unanswered_markdown(runner, request)

    return Starlette(
        routes=[
            Route("/openapi.json", document(encode(openapi), "application/json")),
            Route("/forum/unanswered.md", serve_unanswered),
            Route("/agent-client.ts", document(_CLIENT.read_bytes(), "text/typescript")),
            Route("/docs/errors", serve_errors),
        ],
        exception_handlers={HTTPException: _not_found},
    )
