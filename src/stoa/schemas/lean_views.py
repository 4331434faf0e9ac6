"""Makes the lean form of a resource or an answer, as its type declares it in `lean`.

For each type of resource a function is written and compiled once. It makes an object of a type with
the members that stay, whose defaults are what is empty: encoding leaves these out.
"""

from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import FieldInfo

from stoa.domain.excerpts import excerpt
from stoa.schemas.base import Answer, Resource
from stoa.schemas.content import UntrustedContent
from stoa.schemas.lean import NOTICE, Lean


class Made:
    """What is known of an answer while its lean form is made.

    Texts end after `most` characters, if it is not None. `eventual` are lean forms with the members
    that ETags do not count, since they may be out of date; `short` are forms of resources that
    stand in the answer already, by what stays of them.
    """

    __slots__ = ("eventual", "most", "short")

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.eventual: list[tuple[msgspec.Struct, tuple[str, ...]]] = []
        self.short: dict[str, msgspec.Struct] = {}


_Make = Callable[[Any, Made], Any]


def lean_form(resource: Resource, made: Made) -> Any:
    """The lean form of a resource or an answer, to be encoded."""
    return _maker(type(resource))(resource, made)


def forget(made: Made) -> None:
    """Empty the members that ETags do not count."""
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
    """The fields of a resource that go beside the member which stands for it, if it is always
    there."""
    for kind in () if UnsetType in get_args(field.type) else held(field.type):
        yield from (one for one in msgspec.structs.fields(kind) if one.name in kind.lean.aside)


def held(annotation: Any) -> list[type[Resource]]:
    """The resources that a member may be or hold."""
    if isinstance(annotation, type) and issubclass(annotation, Resource):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in held(part)]


def _is_text(field: FieldInfo) -> bool:
    return field.type is UntrustedContent


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


# --- The function that is written for a type.


class _Member(NamedTuple):
    """A member of a lean form: its default, and the expression that gives its value."""

    name: str
    wire: str
    default: Any
    code: str


@cache
def _maker(kind: type[Resource]) -> _Make:
    """What makes the lean form that a type declares."""
    return _Writer().function(kind, kind.lean)


class _Writer:
    """Writes one function of a resource, `value`, and of what is known of its answer, `made`.

    Resources inside that are always of the same type, and have no rules but that empty members are
    left out, are made in the same function.
    """

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"UNSET": UNSET, "NOTICE": NOTICE, "maker": _maker}
        self._names |= {
            "text": _text,
            "filled": _filled,
            "inner": _inner,
            "unless_bare": _unless_bare,
        }

    def function(self, kind: type[Resource], lean: Lean) -> _Make:
        """The function that makes this lean form of resources of a type."""
        body = [f"return value.{lean.only}"] if lean.only else self._lines(kind, lean)
        exec("\n  ".join(["def form(value, made):", *body]), self._names)  # noqa: S102 - of names of fields
        return self._names["form"]

    def _lines(self, kind: type[Resource], lean: Lean) -> Iterator[str]:
        members = list(self._members(kind, lean, "value"))
        form = self._named("Form", _struct(kind, members))
        if lean.once:
            yield f"if value.{lean.once} in made.short: return made.short[value.{lean.once}]"
            yield f"made.short[value.{lean.once}] = {form}({lean.once}=value.{lean.once})"
        for field in filter(_is_text, stays(kind, lean)):
            names = ", ".join([field.name, *UntrustedContent.lean.aside])
            yield f"{names} = text(value.{field.name}, made.most)"
        notice = ["NOTICE"] if issubclass(kind, Answer) else []
        yield f"form = {form}({', '.join([*notice, *(member.code for member in members)])})"
        if lean.eventual:
            yield f"made.eventual.append((form, {tuple(lean.eventual)}))"
        yield "return form"

    def _named(self, what: str, thing: Any) -> str:
        """A name for something that the function uses."""
        name = f"{what}_{len(self._names)}"
        self._names[name] = thing
        return name

    def _members(self, kind: type[Resource], lean: Lean, value: str) -> Iterator[_Member]:
        for field in stays(kind, lean):
            wire = wire_name(lean, field)
            if _is_text(field):
                yield _Member(field.name, wire, "", field.name)
                for aside in asides(field):
                    yield _Member(aside.name, aside.encode_name, UNSET, aside.name)
                continue
            default, code = self._member(lean, field, value)
            if field.name in lean.repeats:
                repeated = f"{value}.{field.name} == {value}.{lean.repeats[field.name]}"
                code = f"UNSET if {repeated} else {code}"
            yield _Member(field.name, wire, default, code)

    def _member(self, lean: Lean, field: FieldInfo, value: str) -> tuple[Any, str]:
        """The default of a member, and the expression for its value."""
        member = f"{value}.{field.name}"
        if not held(field.type):
            return _plain(field, member)
        if not _is_list(field.type):
            return UNSET, self._one(lean, field, member)
        beside = lean.beside.get(field.name)
        rows = f"for row in {member} or ()" + (f" if row is not {value}.{beside}" if beside else "")
        only = {kind.lean.only for kind in held(field.type)}
        if only != {None}:
            return UNSET, f"[*{{row.{only.pop()}: None {rows}}}] or UNSET"  # once each
        return UNSET, f"[{self._row(lean, field)} {rows}] or UNSET"

    def _one(self, lean: Lean, field: FieldInfo, member: str) -> str:
        """The expression for the lean form of the resource in a member."""
        if field.name in lean.members:
            return f"{self._own(lean, field)}({member}, made)"
        if not _is_plain(field):
            return f"inner({member}, made)"
        return f"(unless_bare({self._made(field, member)}) if {member} else UNSET)"

    def _row(self, lean: Lean, field: FieldInfo) -> str:
        """The expression for the lean form of a row."""
        if field.name in lean.members:
            return f"{self._own(lean, field)}(row, made)"
        return self._made(field, "row") if _is_plain(field) else "maker(row.__class__)(row, made)"

    def _own(self, lean: Lean, field: FieldInfo) -> str:
        """The name of what makes the lean form that a member has in place of that of its type."""
        (kind,) = held(field.type)
        return self._named("own", _Writer().function(kind, lean.members[field.name]))

    def _made(self, field: FieldInfo, value: str) -> str:
        """The expression for the lean form of a resource whose type has no rules of its own."""
        (kind,) = held(field.type)
        members = list(self._members(kind, kind.lean, value))
        form = self._named("Form", _struct(kind, members))
        return f"{form}({', '.join(member.code for member in members)})"


def _is_plain(field: FieldInfo) -> bool:
    """Whether a field holds resources of one type, which has no rules of its own and no texts."""
    kind, *others = held(field.type)
    if others or kind.__subclasses__() or kind.lean != Lean():
        return False
    return not any(_is_text(inner) or kind in held(inner.type) for inner in stays(kind, kind.lean))


def _struct(kind: type[Resource], members: list[_Member]) -> type[msgspec.Struct]:
    """The type of lean forms. An answer begins with the notice."""
    fields: list[Any] = [("notice", str)] if issubclass(kind, Answer) else []
    fields += [(member.name, Any, member.default) for member in members]
    names = {member.name: member.wire for member in members}
    name = f"Lean{kind.__name__}"
    return msgspec.defstruct(name, fields, rename=names, omit_defaults=True, gc=False)


def _plain(field: FieldInfo, value: str) -> tuple[Any, str]:
    """The default of a member without resources, and the expression for its value."""
    parts = set(_parts(field.type))
    if any(get_origin(part) is dict for part in parts):
        return UNSET, f"filled({value})"
    # Encoding compares with a default by identity, which does for these.
    simple: dict[Any, Any] = {str: "", int: 0, bool: False}
    for kind, empty in simple.items():
        if parts == {kind}:
            return empty, value
    never_empty = all(part in {str, NoneType} or get_origin(part) is Literal for part in parts)
    return (None, value) if never_empty else (UNSET, f"{value} or UNSET")


# --- What such functions call.


def _text(content: UntrustedContent, most: int | None) -> tuple[Any, ...]:
    """A text, whether it is cut, and how many characters were cut off."""
    body = content.body
    if most is None or len(body) <= most:
        return body, content.truncated, content.characters_left
    short = excerpt(body, most)
    return short, True, len(body) - len(short)


def _filled(value: Any) -> Any:
    """An object with any names, without empty members; often all are empty."""
    if not value or not any(value.values()):
        return UNSET
    return {name: one for name, one in value.items() if one}


def _inner(value: Any, made: Made) -> Any:
    """The lean form of one resource inside another; nothing where nothing is left of it."""
    if not value:
        return UNSET
    return _unless_bare(_maker(value.__class__)(value, made)) or UNSET


def _unless_bare(form: Any) -> Any:
    """A lean form, if any of its members is not empty."""
    return UNSET if form == _bare(form.__class__) else form


@cache
def _bare(kind: type[Any]) -> Any:
    """A lean form all of whose members are empty."""
    return kind()
