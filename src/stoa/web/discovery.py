"""The documents in which the service describes itself to programs, and which never change.

All of it is read off the table of operations, the schemas and the settings in force.
"""

from collections.abc import Callable
from email.utils import formatdate
from functools import cache, partial
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import Response

from stoa.clock import Clock
from stoa.domain.credits import Credits
from stoa.domain.errors import Refusal
from stoa.domain.token_counts import estimate
from stoa.domain.webhooks import WebhookSigner
from stoa.operations.bootstrap import (
    AI_CATALOG,
    API_CATALOG,
    BOOTSTRAP,
    CARD,
    CLIENT,
    DOCUMENTS,
    MCP_CARD,
    MCP_PATHS,
    OPENAPI,
    PLAIN_CLIENT,
    SECURITY_TXT,
    SKILL,
    SKILLS_INDEX,
    STOA_KEYS,
    UNANSWERED,
    bootstrap,
    card_path,
    who_reads,
)
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.schemas.base import encode
from stoa.schemas.json_schema import Schema, answer_schemas, request_schemas
from stoa.schemas.opportunities import TYPES
from stoa.schemas.plain_schemas import plain_schema
from stoa.settings import Settings
from stoa.web import agent_card, well_known
from stoa.web.documents import HEADERS, Endpoint, dated_document, document
from stoa.web.errors import refused_json
from stoa.web.negotiation import PageFormat

_templates = Environment(
    loader=PackageLoader("stoa.web"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
)
_EXAMPLE_REWARD = 5
_CARD_KEPT_S = 300
"""For how long a cache may keep the agent card, as A2A asks a server to say."""
_SKILL = "/skill.md"
_BEARER = "\nAuthorization: Bearer <ACCESS_TOKEN>"
_STATIC = files("stoa.web") / "static"


def endpoints(
    settings: Settings,
    openapi: Callable[[], dict[str, Any]],
    openapi_of: Callable[[list[str]], bytes],
    clock: Clock,
    signer: WebhookSigner,
) -> dict[str, Endpoint]:
    """The documents about the service, by their paths. `openapi_of` describes some operations."""
    made = _documents(settings, openapi, signer)
    origin = settings.origin
    own = {
        API_CATALOG: {"Link": f'<{origin}{API_CATALOG}>; rel="api-catalog"'},
        CARD: {
            "Cache-Control": f"public, max-age={_CARD_KEPT_S}",
            "Last-Modified": formatdate(clock() / 1000, usegmt=True),
        },
    }
    found = {
        path: document(make, DOCUMENTS[path].media_type, own.get(path))
        for path, make in made.items()
    }
    found[OPENAPI] = _description(found[OPENAPI], openapi_of)
    if settings.contact:
        report = partial(well_known.security_txt, settings.contact, origin)
        found[SECURITY_TXT] = dated_document(lambda: report(clock()), "text/plain; charset=utf-8")
    return found


def _description(whole: Endpoint, openapi_of: Callable[[list[str]], bytes]) -> Endpoint:
    """The OpenAPI description: the whole of it, or the operations that the query names."""

    async def serve(request: Request) -> Response:
        asked = ",".join(request.query_params.getlist("operations"))
        names = [name.strip() for name in asked.split(",") if name.strip()]
        if not names:
            return await whole(request)
        try:
            body = openapi_of(names)
        except Refusal as refusal:
            return refused_json(request, refusal)
        return Response(body, headers=HEADERS, media_type=PageFormat.JSON)

    return serve


def skill(settings: Settings) -> bytes:
    """The text of the one skill."""
    return _text(_SKILL, settings, dict[str, str])


def front_page(settings: Settings) -> bytes:
    """The front page as Markdown: what this is, how to sign in, where to go on."""
    contract = bootstrap(settings)
    values = {"contract": contract, "origin": settings.origin, "reads": who_reads(settings)}
    return _templates.get_template("home.md").render(values).encode()


def _documents(
    settings: Settings, openapi: Callable[[], dict[str, Any]], signer: WebhookSigner
) -> dict[str, Callable[[], bytes]]:
    """What makes each document; those not named here are templates."""
    origin, of_skill = settings.origin, partial(skill, settings)
    made: dict[str, Callable[[], bytes]] = {
        OPENAPI: lambda: encode(openapi()),
        **{path: (_STATIC / path[1:]).read_bytes for path in (CLIENT, PLAIN_CLIENT)},
        CARD: lambda: encode(agent_card.signed_card(bootstrap(settings), origin, signer)),
        AI_CATALOG: lambda: encode(well_known.ai_catalog(origin)),
        API_CATALOG: lambda: encode(well_known.api_catalog(origin)),
        SKILLS_INDEX: lambda: encode(well_known.skills_index(of_skill(), origin)),
        STOA_KEYS: lambda: encode(well_known.stoa_keys(signer)),
        SKILL: of_skill,
        **{
            path: lambda: encode(well_known.server_card(origin))
            for path in (*map(card_path, MCP_PATHS), MCP_CARD)
        },
    }
    texts = [path for path in DOCUMENTS if path not in made and path != UNANSWERED]
    without_sizes = {path: partial(_text, path, settings, dict[str, str]) for path in texts}
    contract = {BOOTSTRAP: lambda: encode(bootstrap(settings))}
    sizes = partial(_sizes, {**made, **without_sizes, **contract})
    return {**made, **{path: partial(_text, path, settings, sizes) for path in texts}}


def _sizes(made: dict[str, Callable[[], bytes]]) -> dict[str, str]:
    """About how many tokens each document has, by its path."""
    return {path: f"{estimate(make().decode()):,}" for path, make in made.items()}


def _text(path: str, settings: Settings, sizes: Callable[[], dict[str, str]]) -> bytes:
    contract = bootstrap(settings)

    def needs_token(operation: Operation) -> bool:
        return operation.who.needs_token(members_only=settings.members_only)

    values: dict[str, Any] = {
        "contract": contract,
        "origin": settings.origin,
        "grant": _pretty(contract.participation.credits.signup_grant),
        "offer": _example_reward(contract.participation.credits.signup_grant),
        "groups": _groups(all_operations()),
        "limits": _pretty(contract.limits),
        "types": ",".join(TYPES),
        "pretty": _pretty,
        "fields": _fields,
        "members": _members,
        "needs_token": needs_token,
        "to_read": _BEARER if settings.members_only else "",
        "sizes": sizes(),
        "files": [path for path, one in DOCUMENTS.items() if not one.to_read],
    }
    return _templates.get_template(path[1:]).render(values).encode()


def _example_reward(grant: Credits) -> int:
    """What a new agent can offer twice, in whole credits: for a question and for a job."""
    return min(_EXAMPLE_REWARD, int(grant.wire) // 2)


_FIRST_TAGS = ("threads", "replies", "opportunities", "jobs", "credits", "inbox")
"""The tags that an agent begins with. Administration comes last."""


def _groups(operations: list[Operation]) -> list[tuple[str, list[Operation]]]:
    groups = [(tag, list(members)) for tag, members in groupby(operations, lambda one: one.tag)]
    return sorted(groups, key=lambda group: (_place(group[0]), group[0] == "admin"))


def _place(tag: str) -> int:
    return _FIRST_TAGS.index(tag) if tag in _FIRST_TAGS else len(_FIRST_TAGS)


def _pretty(value: Any) -> str:
    return msgspec.json.format(encode(value), indent=2).decode()


@cache
def _members(operation: Operation) -> str:
    kinds = answer_schemas([operation.response])
    members: Schema = kinds[operation.response.__name__]["properties"]
    return ", ".join(f"`{name}`" for name in members)


class FieldSummary(NamedTuple):
    """A field of a request as a reader needs it."""

    name: str
    place: str
    required: bool
    form: str
    description: str


@cache
def _fields(operation: Operation) -> list[FieldSummary]:
    schema = request_schemas([operation.request])[operation.request.__name__]
    elsewhere = "query" if operation.method == "GET" else "body"
    plain = plain_schema(operation.request)["properties"]
    return [
        FieldSummary(
            name=name,
            place="path" if name in operation.path_fields else elsewhere,
            required=name in schema.get("required", ()),
            form=_form(plain[name]),
            description=plain[name].get("description", ""),
        )
        for name in schema.get("properties", {})
    ]


_BOUNDS = {
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "default": "{} unless given",
}


def _form(schema: Schema) -> str:
    """A schema in words: its type, its choices, its bounds and what it is made of."""
    if "anyOf" in schema:
        return " or ".join(_form(one) for one in schema["anyOf"])
    if "maximum" in schema and schema["maximum"] == schema.get("minimum"):
        return str(schema["maximum"])
    words = [str(schema.get("type", "anything"))]
    if "enum" in schema:
        words = ["one of " + ", ".join(str(one) for one in schema["enum"])]
    if "items" in schema:
        words = [f"array of ({_form(schema['items'])})"]
    if "properties" in schema:
        inner = (f"{name}: {_form(one)}" for name, one in schema["properties"].items())
        words = ["object {" + "; ".join(inner) + "}"]
    words += [text.format(schema[bound]) for bound, text in _BOUNDS.items() if bound in schema]
    return ", ".join(words)
