"""Makes the lean form of a resource or an answer, as its type declares it in `lean`."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, cast, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from stoa.schemas.base import Answer, Resource
from stoa.schemas.lean import NOTICE, Lean

Members = dict[str, Any]
_Make = Callable[[Any], Any]


def lean_answer(answer: Answer) -> Members:
    """The members of an answer's lean form. The notice comes before the texts."""
    return {"notice": NOTICE, **_of(answer)}


def lean_row(row: Resource) -> Any:
    """The lean form of a resource inside an answer."""
    return _of(row)


def _of(value: Any) -> Any:
    """The lean form of a resource, a list of these or an object with any names."""
    if isinstance(value, list):
        return _of_list(cast("list[Any]", value))
    if isinstance(value, dict):
        return {name: inner for name, inner in cast(Members, value).items() if inner}
    return _maker(type(value))(value)


def _of_list(rows: list[Any]) -> list[Any]:
    """The lean forms of rows; names that stand for rows come once each."""
    lean = [_of(row) for row in rows]
    return list(dict.fromkeys(lean)) if lean and isinstance(lean[0], str) else lean


@cache
def _maker(kind: type[Resource]) -> _Make:
    return _declared(kind, kind.lean)


def _declared(kind: type[Resource], lean: Lean) -> _Make:
    """What makes the lean form that is declared of resources of this type."""
    if lean.only:
        return attrgetter(lean.only)
    return _Object(kind, lean).members


class _Object:
    """The lean form of the resources of one type, when it is an object."""

    def __init__(self, kind: type[Resource], lean: Lean) -> None:
        fields = [field for field in msgspec.structs.fields(kind) if stays(lean, field.name)]
        wire = {field.name: wire_name(lean, field) for field in fields}
        self._values = attrgetter(*wire) if len(wire) > 1 else _alone(*wire)
        self._makers = [(wire[field.name], _inner(lean, field)) for field in fields]
        self._repeats = [(wire[one], wire[other]) for one, other in lean.repeats.items()]
        self._asides = [(_get(path), name) for path, name in asides(fields)]
        self._beside = [(wire[rows], attrgetter(one)) for rows, one in lean.beside.items()]

    def members(self, resource: Resource) -> Members:
        """The members of the lean form, without empty ones."""
        found: Members = {}
        for (name, make), value in zip(self._makers, self._values(resource), strict=True):
            if value and (lean := make(value) if make else value):
                found[name] = lean
        for get, name in self._asides:
            if told := get(resource):
                found[name] = told
        for one, other in self._repeats:
            if one in found and found[one] == found.get(other):
                del found[one]
        for rows, own in self._beside:
            repeated = _of(own(resource))
            found[rows] = [row for row in found.get(rows, ()) if row != repeated]
        return found


def _alone(name: str) -> _Make:
    """What `attrgetter` of several names gives, for one."""
    value = attrgetter(name)
    return lambda resource: (value(resource),)


def asides(fields: Iterable[FieldInfo]) -> Iterator[tuple[tuple[str, str], str]]:
    """What goes into an object from the resources that single members of theirs stand for: the two
    fields on the way, and the name of the member."""
    for field in fields:
        for kind in held(field.type):
            names = {inner.name: inner.encode_name for inner in msgspec.structs.fields(kind)}
            yield from (((field.name, one), names[one]) for one in kind.lean.aside)


def _get(path: tuple[str, str]) -> _Make:
    return attrgetter(".".join(path))


def stays(lean: Lean, name: str) -> bool:
    """Whether the lean form may have the member of this field."""
    return name in lean.renamed if lean.renamed else name not in lean.derivable


def wire_name(lean: Lean, field: FieldInfo) -> str:
    """What the member of a field is called in the lean form."""
    return lean.renamed.get(field.name, field.encode_name)


def _inner(lean: Lean, field: FieldInfo) -> _Make | None:
    """What makes the lean form of a member; None for one that stays as it is."""
    if field.name in lean.members:
        (kind,) = held(field.type)
        return _declared(kind, lean.members[field.name])
    return _of if held(field.type) or _is_map(field.type) else None


def held(annotation: Any) -> list[type[Resource]]:
    """The resources that a member may be or hold."""
    if isinstance(annotation, type) and issubclass(annotation, Resource):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in held(part)]


def _is_map(annotation: Any) -> bool:
    parts = get_args(annotation)
    return dict in (annotation, get_origin(annotation)) or any(map(_is_map, parts))
