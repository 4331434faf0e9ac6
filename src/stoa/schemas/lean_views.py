"""Makes the lean form of a resource or an answer, as its type declares it in `lean`.

The lean form is an object of a type of its own, which is defined at run time with only the members
that stay. Their defaults are the empty values, so that encoding leaves empty members out. Texts are
not shortened here: `shaping` has done that before.
"""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import FieldInfo

from stoa.schemas.base import Answer, Resource
from stoa.schemas.content import UntrustedContent
from stoa.schemas.encoded import whole
from stoa.schemas.lean import NOTICE, Lean


class Made:
    """What is remembered while the lean form of one answer is made.

    `eventual` has the lean forms with members that ETags leave out, since they may be out of date.
    A resource that the answer has shown in full is repeated in a short form: `short` has these by
    the value of the member that `Lean.once` names, `called` by that of `Lean.again`.
    """

    __slots__ = ("called", "eventual", "short")

    def __init__(self) -> None:
        self.eventual: list[tuple[msgspec.Struct, Collection[str]]] = []
        self.short: dict[str, msgspec.Struct] = {}
        self.called: dict[str, tuple[msgspec.Struct, str]] = {}


_Make = Callable[[Any, Made], Any]


def lean_form(resource: Resource, made: Made) -> Any:
    """The lean form of a resource or an answer, to be encoded."""
    resource = whole(resource)
    return _maker(resource.__class__)(resource, made)


def forget(made: Made) -> None:
    """Empty the members that ETags leave out, of all lean forms that were made."""
    for form, names in made.eventual:
        for name in names:
            setattr(form, name, UNSET)


# --- Which members there are.


def stays(kind: type[Resource], lean: Lean) -> list[FieldInfo]:
    """The fields whose members the lean form may have."""
    kept = lean.renamed or {field.name for field in msgspec.structs.fields(kind)} - lean.derivable
    return [field for field in msgspec.structs.fields(kind) if field.name in kept]


def wire_name(lean: Lean, field: FieldInfo) -> str:
    """What the member of a field is called in the lean form."""
    return lean.renamed.get(field.name, field.encode_name)


def asides(field: FieldInfo) -> Iterator[FieldInfo]:
    """The fields of a resource that go beside the member which stands for it."""
    for kind in () if _is_list(field.type) else held(field.type):
        yield from (one for one in msgspec.structs.fields(kind) if one.name in kind.lean.aside)


def held(annotation: Any) -> list[type[Resource]]:
    """The resources that a member may be or hold."""
    if isinstance(annotation, type) and issubclass(annotation, Resource):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in held(part)]


def collect(kind: type[Resource], found: dict[str, type[Resource]]) -> None:
    """Add a type, and all that its resources hold, to those found by their names."""
    if kind.__name__ not in found:
        found[kind.__name__] = kind
        for field in msgspec.structs.fields(kind):
            for inner in held(field.type):
                collect(inner, found)


def _parts(annotation: Any) -> Iterator[Any]:
    """The types that a union is made of."""
    if get_origin(annotation) is Annotated:
        yield from _parts(get_args(annotation)[0])
    elif get_origin(annotation) in (UnionType, Union):
        for part in get_args(annotation):
            yield from _parts(part)
    elif annotation is not UnsetType:
        yield annotation


def _is_list(annotation: Any) -> bool:
    return any(get_origin(part) is list for part in _parts(annotation))


# --- How the lean form of a type is made.


class _Member(NamedTuple):
    """A member of a lean form: its default, what it is in the resource, and what is made of that,
    None if it stays the same."""

    name: str
    wire: str
    default: Any
    get: Callable[[Any], Any]
    change: _Make | None = None


@cache
def _maker(kind: type[Resource]) -> _Make:
    """What makes the lean form that a type declares."""
    return _maker_of(kind, kind.lean)


def _maker_of(kind: type[Resource], lean: Lean) -> _Make:
    """What makes this lean form of resources of a type."""
    if lean.only:
        only = attrgetter(lean.only)
        return lambda resource, _: only(resource)
    members = list(_members(kind, lean))
    form = _struct(kind, members)
    notice = [NOTICE] if issubclass(kind, Answer) else []
    steps = [(member.get, member.change) for member in members]

    def make(resource: Any, made: Made) -> Any:
        if lean.once:
            resource = whole(resource)
            once = getattr(resource, lean.once)
            if once in made.short:
                return made.short[once]
            made.short[once] = _again(form, lean, resource, made)
        values = [
            get(resource) if change is None else change(get(resource), made)
            for get, change in steps
        ]
        one = form(*notice, *values)
        if lean.eventual:
            made.eventual.append((one, lean.eventual))
        return one

    return make


def _again(form: type[msgspec.Struct], lean: Lean, resource: Any, made: Made) -> msgspec.Struct:
    """The short form of a resource, for when the answer shows it again. It has the value of `again`
    alone, unless another resource has the same value: then both have that of `once`."""
    assert lean.once
    once, again = getattr(resource, lean.once), getattr(resource, lean.again)
    shared = again in made.called
    if shared:
        other, its_once = made.called[again]
        setattr(other, lean.once, its_once)
        setattr(other, lean.again, "")
    apart = shared or getattr(resource, lean.unlike) is not UNSET
    short = form(**({lean.once: once} if apart else {lean.again: again}))
    made.called.setdefault(again, (short, once))
    return short


def _members(kind: type[Resource], lean: Lean) -> Iterator[_Member]:
    for field in stays(kind, lean):
        name, wire = field.name, wire_name(lean, field)
        if field.type is UntrustedContent:
            yield _Member(name, wire, "", attrgetter(f"{name}.body"))
            for aside in asides(field):
                get = attrgetter(f"{name}.{aside.name}")
                yield _Member(aside.name, aside.encode_name, UNSET, get)
        else:
            default, change = _changed(lean, field)
            yield _Member(name, wire, default, _getter(lean, name), change)
            for aside in asides(field):
                yield _Member(aside.name, aside.encode_name, UNSET, _inside(name, aside.name))


def _inside(name: str, aside: str) -> Callable[[Any], Any]:
    """What finds a member of a resource that may be missing."""
    return lambda one: getattr(getattr(one, name), aside, UNSET)


def _getter(lean: Lean, name: str) -> Callable[[Any], Any]:
    """What finds the value of a field that the lean form shows."""
    get = attrgetter(name)
    if name in lean.repeats:
        same_as = attrgetter(lean.repeats[name])
        return lambda one: UNSET if get(one) == same_as(one) else get(one)
    if name in lean.beside:
        beside = attrgetter(lean.beside[name])
        return lambda one: [row for row in get(one) or () if row != beside(one)]
    return get


def _changed(lean: Lean, field: FieldInfo) -> tuple[Any, _Make | None]:
    """The default of a member, and what is made of its value."""
    kinds = held(field.type)
    if not kinds:
        return _number(field) if lean.zeros else _plain(field)
    own = _maker_of(kinds[0], lean.members[field.name]) if field.name in lean.members else None
    if not _is_list(field.type):
        return UNSET, own or _inner
    row = kinds[0].lean
    if row.only and row.where:
        return UNSET, _only(row.only, *row.where)
    if alone := row.alone:
        return UNSET, lambda rows, made: _with_more(
            alone, [lean_form(row, made) for row in rows or ()]
        )
    return UNSET, lambda rows, made: [(own or lean_form)(row, made) for row in rows or ()] or UNSET


def _with_more(alone: str, forms: list[Any]) -> Any:
    """Those of the rows that have more than this member."""
    bare = [
        msgspec.structs.replace(_bare(form.__class__), **{alone: getattr(form, alone)})
        for form in forms
    ]
    return [form for form, one in zip(forms, bare, strict=True) if form != one] or UNSET


def _struct(kind: type[Resource], members: list[_Member]) -> type[msgspec.Struct]:
    """The type of lean forms. An answer begins with the notice."""
    fields: list[Any] = [("notice", str)] if issubclass(kind, Answer) else []
    fields += [(member.name, Any, member.default) for member in members]
    names = {member.name: member.wire for member in members}
    name = f"Lean{kind.__name__}"
    return msgspec.defstruct(name, fields, rename=names, omit_defaults=True, gc=False)


def _number(field: FieldInfo) -> tuple[Any, _Make | None]:
    """As `_plain`, where numbers stay that are 0."""
    if {int, float}.isdisjoint(_parts(field.type)) and not _is_object(field.type):
        return _plain(field)
    return UNSET, lambda value, _: UNSET if value is None else value


def _is_object(annotation: Any) -> bool:
    return any(get_origin(part) is dict for part in _parts(annotation))


def _plain(field: FieldInfo) -> tuple[Any, _Make | None]:
    """The default of a member without resources, and what is made of its value."""
    parts = set(_parts(field.type))
    if _is_object(field.type):
        return UNSET, _filled
    # Encoding compares with a default by identity, which does for these.
    simple: dict[Any, Any] = {str: "", int: 0, bool: False}
    for kind, empty in simple.items():
        if parts == {kind}:
            return empty, None
    never_empty = all(part in {str, NoneType} or get_origin(part) is Literal for part in parts)
    return (None, None) if never_empty else (UNSET, lambda value, _: value or UNSET)


def _filled(value: Any, _: Made) -> Any:
    """An object with any names, without empty members; often all are empty."""
    if not value or not any(value.values()):
        return UNSET
    return {name: one for name, one in value.items() if one}


def _only(only: str, where: str, wanted: frozenset[str]) -> _Make:
    """What makes of rows those of their members that stand for them, once each."""
    get, value = attrgetter(only), attrgetter(where)

    def make(rows: Any, _: Made) -> Any:
        return list(dict.fromkeys(get(row) for row in rows or () if value(row) in wanted)) or UNSET

    return make


def _inner(resource: Any, made: Made) -> Any:
    """The lean form of one resource inside another; nothing where nothing is left of it."""
    form = lean_form(resource, made) if resource else UNSET
    return form if form and form != _bare(form.__class__) else UNSET


@cache
def _bare(kind: type[Any]) -> Any:
    """A lean form all of whose members are empty."""
    return kind()
