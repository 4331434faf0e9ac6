"""Reads the table of operations and its types into a form to write any language from."""

import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from stoa.domain.credits import Credits
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access
from stoa.operations.table import Operation as Row
from stoa.schemas.base import ListAnswer, Request, Resource
from stoa.schemas.options import View
from stoa.schemas.shaping import has_texts

Kind = Literal["string", "integer", "number", "amount", "boolean", "any"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these texts. Those that are too long to be spelled out each time have a name."""

    values: tuple[str, ...]
    name: str | None


@dataclass(frozen=True, slots=True)
class Many:
    """A list."""

    item: "Type"


@dataclass(frozen=True, slots=True)
class Map:
    """An object with any names."""

    value: "Type"


@dataclass(frozen=True, slots=True)
class Named:
    """An object type by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Nullable:
    """Or null."""

    inner: "Type"


Type: TypeAlias = Kind | Choice | Many | Map | Named | Nullable


@dataclass(frozen=True, slots=True)
class Member:
    """A field. An optional one may be left out of the JSON."""

    name: str
    wire: str
    type: Type
    optional: bool


@dataclass(frozen=True, slots=True)
class Object:
    """An object type. `base` is the type that it extends; `module` groups the types."""

    name: str
    module: str
    base: str | None
    doc: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `rows` is the member that holds the rows of a list."""

    name: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    needs_key: bool
    repeatable: bool
    signed: bool
    keyed: bool
    errors: tuple[str, ...]
    parameters: tuple[Member, ...]
    answer: str
    rows: Member | None


@dataclass(frozen=True, slots=True)
class Table:
    """Everything a client has to know. `inputs` are the objects that go into requests."""

    operations: tuple[Operation, ...]
    answers: tuple[Object, ...]
    inputs: tuple[Object, ...]

    @property
    def choices(self) -> dict[str, Choice]:
        """The choices with a name, by it."""
        members = [member for item in (*self.answers, *self.inputs) for member in item.members]
        members += [member for row in self.operations for member in row.parameters]
        found: dict[str, Choice] = {}
        for choice in (choice for member in members for choice in _choices(member.type)):
            if choice.name:
                same = found.setdefault(choice.name, choice)
                assert same == choice, f"two choices are called {choice.name}"
        return dict(sorted(found.items()))


_NAMES = {
    "action": "AgentAction",
    "by": "Role",
    "kind": "EntryKind",
    "event": "JobEvent",
    "lastRejectReasonCode": "RejectReason",
    "reasonCode": "ReasonCode",
    "reason": "ReportReason",
    "status": "JobStatus",
    "type": "SubjectType",
}
"""What long choices are called, by the name of a field on the wire."""
_OTHER_NAMES = {("action", "lock"): "ThreadAction", ("type", "service"): "ActSubjectType"}
"""Those of other choices for a field of the same name, by it and a value that only these have."""
_LONG = 5

_RENAMED = {"Warning": "RequestWarning"}  # not to be taken for the language's own
_NUMBERS = {int, Decimal}
_OF_WRITES = (
    Member("idempotency_key", "idempotencyKey", "string", optional=True),
    Member("dry_run", "dryRun", "boolean", optional=True),
)
"""What a write takes beside its fields: the client sends it outside the body."""
_SIMPLE: dict[Any, Kind] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    Any: "any",
    Credits: "amount",
}


def describe() -> Table:
    """The table as it is now."""
    rows = all_operations()
    answers: dict[str, Object] = {}
    inputs: dict[str, Object] = {}
    for row in rows:
        _collect(row.response, answers)
        for field in msgspec.structs.fields(row.request):
            for struct in _structs(field.type):
                _collect(struct, inputs, sent=True)
    return Table(
        tuple(_operation(row, answers) for row in rows),
        tuple(answers.values()),
        tuple(inputs.values()),
    )


def _operation(row: Row, answers: dict[str, Object]) -> Operation:
    answer = _name(row.response)
    rows = None
    if issubclass(row.response, ListAnswer):
        rows = next(m for m in answers[answer].members if isinstance(m.type, Many))
    return Operation(
        name=row.name,
        method=row.method,
        path=row.path,
        tag=row.tag,
        summary=row.summary,
        description=row.description,
        needs_key=row.who.access is Access.AGENT,
        repeatable=not row.writes or row.effect.repeatable or row.takes_key,
        signed=row.who.access is Access.AGENT or row.tag not in ("auth", "service"),
        keyed=row.takes_key,
        errors=row.errors,
        parameters=(
            *_members(row.request, Request, sent=True),
            *_options(row),
            *(_OF_WRITES if row.takes_key else ()),
        ),
        answer=answer,
        rows=rows,
    )


def _options(row: Row) -> tuple[Member, ...]:
    """The options that change the typed answer: some have no texts, and some no rows."""
    if row.method != "GET":
        return ()
    without_effect = {
        *(() if has_texts(row.response) else ("excerpt",)),
        *(() if "omitted" in row.response.__struct_fields__ else ("max_tokens",)),
    }
    options = _members(row.options, View, sent=True)
    return tuple(option for option in options if option.name not in without_effect)


def _collect(struct: type[Any], found: dict[str, Object], *, sent: bool = False) -> None:
    """`struct` and all that it needs, what is needed first; `sent` with requests."""
    name = _name(struct)
    if name in found:
        assert found[name].module == _module(struct), f"two types are called {name}"
        return
    found[name] = Object(
        name, _module(struct), None, "", ()
    )  # so that a type that holds itself comes to an end
    base: type[Any] = struct.__bases__[0]
    if base is not Resource and issubclass(base, Resource):
        _collect(base, found, sent=sent)
    for field in msgspec.structs.fields(struct):
        for needed in _structs(field.type):
            _collect(needed, found, sent=sent)
    del found[name]
    found[name] = Object(
        name=name,
        module=_module(struct),
        base=_name(base) if base is not Resource and issubclass(base, Resource) else None,
        doc=re.sub(r"\s+", " ", struct.__doc__ or "").strip(),
        members=_members(struct, base, sent=sent),
    )


def _module(struct: type[Any]) -> str:
    return struct.__module__.rpartition(".")[2]


def _name(struct: type[Any]) -> str:
    return _RENAMED.get(struct.__name__, struct.__name__)


def _structs(annotation: Any) -> Iterator[type[Any]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
    for part in get_args(annotation):
        yield from _structs(part)


def _members(struct: type[Any], base: type[Any], *, sent: bool) -> tuple[Member, ...]:
    """The fields that `struct` has and its `base` does not."""
    inherited = {field.name for field in msgspec.structs.fields(base)}
    return tuple(
        Member(
            field.name,
            field.encode_name,
            _type(field.type, field.encode_name),
            _optional(field, sent=sent),
        )
        for field in msgspec.structs.fields(struct)
        if field.name not in inherited
    )


def _optional(field: msgspec.structs.FieldInfo, *, sent: bool) -> bool:
    """What is sent may lack a member that has a default, an answer one that can be UNSET."""
    return not field.required if sent else UnsetType in _parts(field.type)


def _parts(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Annotated:
        return _parts(get_args(annotation)[0])
    if get_origin(annotation) in (types.UnionType, Union):
        return tuple(part for inner in get_args(annotation) for part in _parts(inner))
    return (annotation,)


def _choices(kind: Type) -> Iterator[Choice]:
    match kind:
        case Choice():
            yield kind
        case Many(inner) | Map(inner) | Nullable(inner):
            yield from _choices(inner)
        case _:
            pass


def _type(annotation: Any, wire: str) -> Type:
    parts = [part for part in _parts(annotation) if part is not UnsetType]
    present = [part for part in parts if part is not types.NoneType]
    inner = "amount" if set(present) <= _NUMBERS and Decimal in present else _one(present, wire)
    return Nullable(inner) if len(present) < len(parts) else inner


def _choice_name(wire: str, values: tuple[str, ...]) -> str:
    others = (
        name for (field, value), name in _OTHER_NAMES.items() if field == wire and value in values
    )
    return next(others, _NAMES[wire])


def _one(parts: list[Any], wire: str) -> Type:
    assert len(parts) == 1, f"a union of {parts} has no form in the clients"
    part = parts[0]
    origin, arguments = get_origin(part), get_args(part)
    if origin is Literal:
        return Choice(arguments, _choice_name(wire, arguments) if len(arguments) >= _LONG else None)
    if origin is list:
        return Many(_type(arguments[0], wire))
    if origin is dict or part is dict:
        return Map(_type(arguments[1], wire) if arguments else "any")
    if isinstance(part, type) and issubclass(part, msgspec.Struct):
        return Named(_name(part))
    return _SIMPLE[part]
