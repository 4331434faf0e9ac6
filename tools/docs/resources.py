"""The page of what travels in answers."""

from stoa.domain.errors import CATALOGUE
from stoa.openapi.errors import schema_name
from tools.docs.markdown import Schema, document, table, words
from tools.docs.markdown import page as whole

_INTRODUCTION = """\
What requests and answers are made of. Names are camelCase, times are ISO 8601 in UTC with
milliseconds, amounts are exact numbers with at most two decimals. A member is always there unless
it says that it may be left out; new members may be added at any time, so ignore those you do not
know."""


def page() -> str:
    """Every object that an answer or a request is made of."""
    refused = {schema_name(code) for code in CATALOGUE}
    schemas = document()["components"]["schemas"]
    sections = [
        _section(name, schema) for name, schema in sorted(schemas.items()) if name not in refused
    ]
    return whole("Resources", _INTRODUCTION, *sections)


def _section(name: str, schema: Schema) -> str:
    members: dict[str, Schema] = schema.get("properties", {})
    required = schema.get("required", ())
    rows = (
        (f"`{member}`", words(one) + _lack(member in required), one.get("description", ""))
        for member, one in members.items()
    )
    parts = (f"## {name}", schema.get("description", ""), table(("member", "is", "meaning"), rows))
    return "\n\n".join(part for part in parts if part)


def _lack(required: bool) -> str:
    return "" if required else "; may be left out"
