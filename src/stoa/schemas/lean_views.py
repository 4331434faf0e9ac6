"""Makes the lean form of a resource or an answer, as its type declares it in `lean`.

A lean form is an object of a type that is made once for each type of resource: encoding leaves out
members that have their default, which is what is empty.
"""

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, cast, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import FieldInfo

from stoa.domain.excerpts import excerpt
from stoa.schemas.base import Answer, Resource
from stoa.schemas.content import UntrustedContent
from stoa.schemas.lean import NOTICE, Lean


class Made:
    """What is known of an answer while its lean form is made.

    Texts end after `most` characters, if it is not None. `late` are lean forms with the members
    that ETags do not count, since they may be out of date; `short` are forms of resources that
    stand in the answer already, by what stays of them.
    """

    __slots__ = ("late", "most", "short")

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.late: list[tuple[msgspec.Struct, tuple[str, ...]]] = []
        self.short: dict[str, msgspec.Struct] = {}


_Make = Callable[[Any, Made], Any]


def lean_form(resource: Resource, made: Made) -> Any:
    """The lean form of a resource or an answer, to be encoded."""
    return _maker(type(resource))(resource, made)


def forget(made: Made) -> None:
    """Empty the members that ETags do not count."""
    for form, names in made.late:
        for name in names:
            setattr(form, name, UNSET)


@cache
def _maker(kind: type[Resource]) -> _Make:
    return _declared(kind, kind.lean)


def _declared(kind: type[Resource], lean: Lean) -> _Make:
    """What makes the lean form that is declared of resources of this type."""
    if lean.only:
        only = attrgetter(lean.only)
        return lambda resource, _made: only(resource)
    return _Object(kind, lean).form


class _Member(NamedTuple):
    """A member of a lean form: where its value is read, its default, and what makes it lean."""

    name: str
    wire: str
    path: str
    default: Any
    make: _Make | None


class _Text(NamedTuple):
    """The places of a text and of what is said of it when it is cut."""

    body: int
    truncated: int
    left: int

    @classmethod
    def of(cls, field: FieldInfo, places: dict[str, int]) -> "_Text":
        """The places of the text in a field."""
        return cls(places[field.name], places["truncated"], places["characters_left"])


def _is_text(field: FieldInfo) -> bool:
    return field.type is UntrustedContent


class _Object:
    """The lean form of the resources of one type, when it is an object."""

    def __init__(self, kind: type[Resource], lean: Lean) -> None:
        members = [member for field in stays(kind, lean) for member in _members(lean, field)]
        places = {member.name: place for place, member in enumerate(members)}
        paths = [member.path for member in members]
        self._values = attrgetter(*paths) if len(paths) > 1 else _alone(*paths)
        self._makers = [(place, one.make) for place, one in enumerate(members) if one.make]
        self._repeats = [(places[one], places[other]) for one, other in lean.repeats.items()]
        self._beside = [(places[rows], places[one]) for rows, one in lean.beside.items()]
        self._late = tuple(lean.late)
        self._once = lean.once
        self._texts = [_Text.of(field, places) for field in stays(kind, lean) if _is_text(field)]
        self._told = (NOTICE,) if issubclass(kind, Answer) else ()
        self._type = _struct(kind, members)

    def form(self, resource: Resource, made: Made) -> msgspec.Struct:
        """The lean form of one resource."""
        if self._once:
            stays = getattr(resource, self._once)
            if stays in made.short:
                return made.short[stays]
            made.short[stays] = self._type(**{self._once: stays})
        values = list(self._values(resource))
        if made.most is not None:
            self._cut(values, made.most)
        for rows, one in self._beside:
            values[rows] = [row for row in values[rows] if row is not values[one]]
        for place, make in self._makers:
            values[place] = make(values[place], made)
        for one, other in self._repeats:
            if values[one] == values[other]:
                values[one] = UNSET
        form = self._type(*self._told, *values)
        if self._late:
            made.late.append((form, self._late))
        return form

    def _cut(self, values: list[Any], most: int) -> None:
        """Let longer texts end after so many characters, and say so."""
        for body, truncated, left in self._texts:
            text = values[body]
            if len(text) > most:
                values[body] = short = excerpt(text, most)
                values[truncated] = True
                values[left] = len(text) - len(short)


def _struct(kind: type[Resource], members: list[_Member]) -> type[msgspec.Struct]:
    """The type of lean forms. An answer begins with the notice."""
    fields: list[Any] = [("notice", str)] if issubclass(kind, Answer) else []
    fields += [(member.name, Any, member.default) for member in members]
    names = {member.name: member.wire for member in members}
    name = f"Lean{kind.__name__}"
    return msgspec.defstruct(name, fields, rename=names, omit_defaults=True, gc=False)


def _alone(path: str) -> Callable[[Any], tuple[Any]]:
    """What `attrgetter` of several paths gives, for one."""
    value = attrgetter(path)
    return lambda resource: (value(resource),)


def stays(kind: type[Resource], lean: Lean) -> list[FieldInfo]:
    """The fields whose members the lean form may have."""
    kept = lean.renamed or {field.name for field in msgspec.structs.fields(kind)} - lean.derivable
    return [field for field in msgspec.structs.fields(kind) if field.name in kept]


def wire_name(lean: Lean, field: FieldInfo) -> str:
    """What the member of a field is called in the lean form."""
    return lean.renamed.get(field.name, field.encode_name)


def asides(field: FieldInfo) -> Iterator[FieldInfo]:
    """The fields of a resource that go beside the member which stands for it, if it is always
    there."""
    for kind in () if UnsetType in get_args(field.type) else held(field.type):
        yield from (one for one in msgspec.structs.fields(kind) if one.name in kind.lean.aside)


def held(annotation: Any) -> list[type[Resource]]:
    """The resources that a member may be or hold."""
    if isinstance(annotation, type) and issubclass(annotation, Resource):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in held(part)]


def _members(lean: Lean, field: FieldInfo) -> Iterator[_Member]:
    only = field.type.lean.only if held(field.type) == [field.type] else None
    path = f"{field.name}.{only}" if only else field.name
    default, make = ("", None) if only else _kept(lean, field)
    yield _Member(field.name, wire_name(lean, field), path, default, make)
    for aside in asides(field):
        yield _Member(aside.name, aside.encode_name, f"{field.name}.{aside.name}", UNSET, None)


def _kept(lean: Lean, field: FieldInfo) -> tuple[Any, _Make | None]:
    """The value that is left out of a member, and what makes its lean form."""
    if field.name in lean.members:
        (kind,) = held(field.type)
        make = _declared(kind, lean.members[field.name])
        return UNSET, _rows_of(make) if _is_list(field.type) else make
    if held(field.type):
        return UNSET, _rows if _is_list(field.type) else _inner
    parts = set(_parts(field.type))
    if any(get_origin(part) is dict for part in parts):
        return UNSET, _map
    # Encoding compares with a default by identity, which does for these.
    simple: dict[Any, Any] = {str: "", int: 0, bool: False}
    for kind, empty in simple.items():
        if parts == {kind}:
            return empty, None
    never_empty = all(part in {str, NoneType} or get_origin(part) is Literal for part in parts)
    return (None, None) if never_empty else (UNSET, _or_unset)


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


def _or_unset(value: Any, _made: Made) -> Any:
    return value or UNSET


def _map(value: Any, _made: Made) -> Any:
    """An object with any names, without empty members."""
    return {name: one for name, one in value.items() if one} or UNSET if value else UNSET


def _inner(value: Any, made: Made) -> Any:
    """The lean form of one resource inside another; nothing where nothing is left of it."""
    if not value:
        return UNSET
    form: Any = lean_form(value, made)
    return form if form and form != _bare(form.__class__) else UNSET


@cache
def _bare(kind: type[Any]) -> Any:
    """A lean form all of whose members are empty."""
    return kind()


def _rows(value: Any, made: Made) -> Any:
    """The lean forms of rows; names that stand for rows come once each."""
    if not value:
        return UNSET
    forms = [_maker(type(row))(row, made) for row in cast("list[Resource]", value)]
    return list(dict.fromkeys(forms)) if isinstance(forms[0], str) else forms


def _rows_of(make: _Make) -> _Make:
    def rows(value: Any, made: Made) -> Any:
        return [make(row, made) for row in value] if value else UNSET

    return rows
