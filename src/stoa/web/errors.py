"""Pages of the error codes: the list, and each code for people and for programs."""

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal, filled
from stoa.http import answering
from stoa.http.error_reference import ErrorReference, reference
from stoa.http.request import REQUEST, HttpRequest
from stoa.operations.catalog import all_operations
from stoa.schemas.base import encode
from stoa.web.negotiation import PAGE, PageFormat, asked_form
from stoa.web.site import SERVICE_DOC, Site

PATH = answering.ERRORS
_KEPT = {"Cache-Control": "public, no-cache", "Link": SERVICE_DOC, "Vary": "Accept"}
_NOT_KEPT = {"Cache-Control": "no-store", "Vary": "Accept"}


async def whole(site: Site, request: Request) -> Response:
    """The list of all codes; as HTML it explains each."""
    return site.page(request, "errors.html", entries=list(_entries(site.origin).values()))


async def one(site: Site, request: Request) -> Response:
    """One code, explained."""
    entry = _entries(site.origin).get(request.path_params["code"])
    as_json = asked_form(request, (*PAGE, PageFormat.JSON)) is PageFormat.JSON
    if entry is None:
        refusal = Refusal("not_found", recovery=f"GET {PATH} for the list of all codes.")
        if as_json:
            return refused_json(request, refusal)
        raise refusal
    recovery = filled(entry.kind.recovery, {"base_url": site.origin})
    if as_json:
        return Response(encode(_explained(entry, recovery)), 200, _KEPT, PageFormat.JSON)
    return site.page(request, "error.html", entry=entry, recovery=recovery)


@cache
def _entries(origin: str) -> dict[str, ErrorReference]:
    """What is explained, by code."""
    found = reference(tuple(all_operations()), origin)
    return {entry.kind.code: entry for entry in found}


def _explained(entry: ErrorReference, recovery: str) -> dict[str, Any]:
    """A code as programs read it, in the words of the contract."""
    kind = entry.kind
    return {
        "code": kind.code,
        "status": kind.status,
        "retryable": kind.retryable,
        "when": kind.cause,
        "recovery": recovery,
        "reserved": kind.reserved,
        "members": dict(entry.members),
    }


def refused_json(request: Request, refusal: Refusal) -> Response:
    """A refusal as the API writes it, for programs that read documents."""
    incoming: HttpRequest = request.scope[REQUEST]
    body = answering.error_json(refusal, incoming.origin, incoming.id)
    return Response(encode(body), refusal.status, _NOT_KEPT, PageFormat.JSON)
