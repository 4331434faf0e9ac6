"""The pages of this service as a Starlette application over the same runner."""

import json
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from stoa.domain.errors import CATALOGUE, Refusal
from stoa.http.answering import error_json
from stoa.operations.runner import Runner
from stoa.web.feeds import unanswered_markdown

_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}

_templates = Environment(
    loader=PackageLoader("stoa.web"), autoescape=True, undefined=StrictUndefined
)


def _page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    html = _templates.get_template(name).render(**values)
    return HTMLResponse(html, status_code=status, headers=_SECURITY)


async def _errors(request: Request) -> Response:
    documentation = str(request.url.replace(query="", fragment=""))
    examples = {
        code: json.dumps(error_json(Refusal(code), documentation, "3f1c9a52d07be846"), indent=2)
        for code in CATALOGUE
    }
    return _page("errors.html", kinds=list(CATALOGUE.values()), examples=examples)


async def _not_found(request: Request, error: Exception) -> Response:
    return _page("not_found.html", 404)


def pages(runner: Runner, openapi: dict[str, Any]) -> Starlette:
    """The application that serves what is not under `/api`."""
    document = msgspec.json.encode(openapi)

    async def serve_openapi(request: Request) -> Response:
        return Response(document, media_type="application/json", headers={**_OPEN})

    async def serve_unanswered(request: Request) -> Response:
        return await unanswered_markdown(runner, request)

    return Starlette(
        routes=[
            Route("/openapi.json", serve_openapi),
            Route("/forum/unanswered.md", serve_unanswered),
            Route("/docs/errors", _errors),
        ],
        exception_handlers={HTTPException: _not_found},
    )


_OPEN = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, no-cache"}
