"""Reads JSON into the typed objects of `generated.models`, strictly where types are concerned."""

import json
import types
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

JsonObject = dict[str, Any]
Amount = int | Decimal
"""An amount of credits, exact: at most two decimals."""
AmountInput = int | float | Decimal
"""An amount to send; one with more than two decimals is refused."""

T = TypeVar("T")
_Reader = Callable[[Any], Any]


class WrongShape(ValueError):
    """A value does not match its type."""


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """An object of an answer. `raw` is its JSON unchanged, with members unknown to this client; it
    is neither shown nor compared."""

    # No dataclasses: 200 of them take a quarter of a second to declare, at each start of a program.
    raw: JsonObject

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._shown() == other._shown()

    def __hash__(self) -> int:
        return hash(self._shown())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._shown())
        return f"{type(self).__name__}({shown})"

    def _shown(self) -> tuple[tuple[str, Any], ...]:
        return tuple(
            (name, getattr(self, name)) for name in self.__struct_fields__ if name != "raw"
        )


def parse(body: bytes) -> JsonObject:
    """A JSON object, decimals exact. Raises WrongShape for anything else."""
    try:
        value = json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise WrongShape(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise WrongShape("not a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType]


def dump(value: Any, *, ascii_only: bool = False) -> str:
    """JSON text; amounts may be `int`, `float` or `Decimal`."""
    return json.dumps(value, ensure_ascii=ascii_only, default=_number)


def _number(value: Any) -> int | float:
    """Two decimals and six digits before them are exact in a float's shortest form."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    return int(value) if value == value.to_integral_value() else float(value)


def read(kind: type[T], value: Any) -> T:
    """The object of this type. Raises WrongShape with the place of what does not fit."""
    return _reader(kind)(value)


def _read_members(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, dict):
        raise WrongShape(f"{kind.__name__} is not an object")
    members: JsonObject = {"raw": value}
    for name, wire_name, required, reader in _members(kind):
        if wire_name in value:
            try:
                members[name] = reader(value[wire_name])
            except WrongShape as error:
                raise WrongShape(f"{wire_name}: {error}") from None
        elif required:
            raise WrongShape(f"{wire_name} is missing")
    return kind(**members)


@cache
def _members(kind: type[Any]) -> tuple[tuple[str, str, bool, _Reader], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (item.name, camel(item.name), item.required, _reader(hints[item.name]))
        for item in msgspec.structs.fields(kind)
        if item.name != "raw"
    )


def camel(name: str) -> str:
    """The name on the wire: `threadId` for `thread_id`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _reader(annotation: Any) -> _Reader:
    origin = get_origin(annotation)
    arguments: tuple[Any, ...] = get_args(annotation)
    if origin in (types.UnionType, Union):
        return _union(arguments)
    if origin is list:
        return _list(arguments)
    if origin is Literal:
        return _scalar(str)
    if annotation is float:
        return lambda value: float(_scalar(int, Decimal)(value))
    if origin is dict or annotation is Any:
        return lambda value: value
    if issubclass(annotation, Resource):
        return lambda value: _read_members(annotation, value)
    return _scalar(annotation)


def _union(arguments: tuple[Any, ...]) -> _Reader:
    kinds = tuple(kind for kind in arguments if kind is not types.NoneType)
    # An amount is the one union of two kinds; a Decimal read from JSON may be a whole number too.
    inner = _scalar(*kinds) if len(kinds) > 1 else _reader(*kinds)
    if types.NoneType not in arguments:
        return inner
    return lambda value: None if value is None else inner(value)


def _list(arguments: tuple[Any, ...]) -> _Reader:
    reader = _reader(*arguments)

    def read_list(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise WrongShape("not a list")
        return [reader(row) for row in value]  # pyright: ignore[reportUnknownVariableType]

    return read_list


def _scalar(*kinds: type[Any]) -> _Reader:
    def read_scalar(value: Any) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise WrongShape(f"not {' or '.join(kind.__name__ for kind in kinds)}")
        return value

    return read_scalar
