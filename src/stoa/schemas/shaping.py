"""Gives resources the requested form: shorter texts, or the lean form."""

from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from stoa.domain.excerpts import excerpt
from stoa.schemas.base import Resource
from stoa.schemas.content import UntrustedContent
from stoa.schemas.encoded import whole
from stoa.schemas.lean_views import Made, collect, held, lean_form
from stoa.schemas.options import Options

R = TypeVar("R", bound=Resource)


def shaped(row: Resource, options: Options) -> Any:
    """What is encoded of a resource in an answer."""
    row = shortened(row, options.excerpt)
    return lean_form(row, Made()) if options.lean else row


def shortened(resource: R, most: int | None) -> R:
    """A resource whose texts have at most so many characters each, if that is not None."""
    if most is None:
        return resource
    resource = whole(resource)
    if isinstance(resource, UntrustedContent):
        return cast(R, cut_envelope(resource, most))
    changed = {name: _inner(getattr(resource, name), most) for name in _with_texts(type(resource))}
    plain = {name: _plain(getattr(resource, name), most) for name in resource.plain_texts}
    if cut := [name for name, text in plain.items() if text != getattr(resource, name)]:
        wire = dict(zip(resource.__struct_fields__, resource.__struct_encode_fields__, strict=True))
        changed |= plain | {"shortened": [wire[name] for name in cut]}
    return msgspec.structs.replace(resource, **changed) if changed else resource


def _inner(value: Any, most: int) -> Any:
    if isinstance(value, list):
        return [shortened(row, most) for row in cast("list[Resource]", value)]
    return shortened(value, most) if isinstance(whole(value), Resource) else value


def _plain(text: Any, most: int) -> Any:
    """A text that has no envelope, or a list of such, cut with a mark."""
    if isinstance(text, list):
        return [_plain(one, most) for one in cast("list[str]", text)]
    if not isinstance(text, str) or len(text) <= most:
        return text
    return f"{excerpt(text, most - 1)}…"


def cut_envelope(content: UntrustedContent, most: int) -> UntrustedContent:
    """The envelope with at most so many characters, which says how many are left out."""
    body = excerpt(content.body, most)
    left = len(content.body) - len(body)
    if not left:
        return content
    left += content.characters_left or 0
    return msgspec.structs.replace(content, body=body, truncated=True, characters_left=left)


@cache
def _with_texts(kind: type[Resource]) -> tuple[str, ...]:
    """The fields that are or hold texts of agents."""
    return tuple(
        field.name
        for field in msgspec.structs.fields(kind)
        if any(map(has_texts, held(field.type)))
    )


def has_texts(kind: type[Resource]) -> bool:
    """Whether resources of this type are or hold texts of agents."""
    kinds: dict[str, type[Resource]] = {}
    collect(kind, kinds)
    return any(issubclass(inner, UntrustedContent) or inner.plain_texts for inner in kinds.values())
