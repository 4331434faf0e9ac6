"""Turns raw values into a typed request, or names every problem they have.

The fast way is one msgspec conversion. Only when it fails are all problems listed, with the JSON
Schema that the same types give.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from stoa.domain import text
from stoa.domain.credits import Credits
from stoa.domain.errors import Issue, invalid
from stoa.schemas.base import Problems, Request, Rule, Warning, convert, json_schema

R = TypeVar("R", bound=Request)
Values = dict[str, Any]
Problem = tuple[str, str]
"""The dotted path of a value and what is wrong with it."""

ISSUES_MAX = 100
"""Further problems of one input are not named: a body can hold a hundred thousand."""

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {
    "maxItems": "At most {} items.",
    "minimum": "Must be {} or more.",
    "exclusiveMinimum": "Must be more than {}.",
    "maximum": "Must be {} or less.",
}
_PATTERNS = {
    text.LABEL_PATTERN: "must not be blank and must not hold control characters, "
    "text-direction overrides or invisible tag characters.",
    text.NOT_BLANK_PATTERN: "must not be blank.",
}


class _Field(NamedTuple):
    attribute: str
    rule: Rule | None
    holds: type[msgspec.Struct] | None


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, _Field]:
    """The fields of a request, or of an object in it, by their name on the wire."""
    return {
        field.encode_name: _Field(field.name, _rule(field.type), _held(field.type))
        for field in msgspec.structs.fields(kind)
    }


@cache
def _has_objects(kind: type[msgspec.Struct]) -> bool:
    return any(field.holds for field in fields(kind).values())


@cache
def _has_rules(kind: type[msgspec.Struct]) -> bool:
    return any(field.rule for field in fields(kind).values())


def _held(annotation: Any) -> type[msgspec.Struct] | None:
    """The type of the objects that a field holds, alone or in a list."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    return next(filter(None, map(_held, get_args(annotation))), None)


def _rule(annotation: Any) -> Rule | None:
    for part in (annotation, *get_args(annotation)):
        for mark in getattr(part, "__metadata__", ()):
            if isinstance(mark, Rule):
                return mark
    return None


@cache
def _validator(kind: type[Request]) -> Any:
    return Draft202012Validator(json_schema(kind))


def parse(
    kind: type[R],
    values: Values,
    place: Callable[[str], str] = str,
    span: Callable[[], tuple[int, int]] | None = None,
) -> tuple[R, list[Warning]]:
    """The request and a warning for each unknown value.

    `place` gives the issue path of a field (`query.limit`); `span` gives what `Request.untimely`
    is asked with when there are other problems. Raises 400 `invalid_request`.
    """
    known, warnings = fields(kind), list[Warning]()
    if not values.keys() <= known.keys() or _has_objects(kind):
        warnings = list(islice(_unknown(kind, values, place), ISSUES_MAX))
    request, given, problems = None, values, list[Problem]()
    broken: set[str] = set()
    try:
        request = convert(values, kind)
    except msgspec.ValidationError:
        given = _shortened(values)
        problems = list(islice(_schema_problems(kind, given), ISSUES_MAX))
        broken.update([path for path, _ in problems])
    if conflicts := kind.conflicts(given):
        problems += _apart_from(broken, conflicts)
    changed, ruled = _ruled(kind, given, broken) if _has_rules(kind) else ({}, [])
    problems += ruled
    if problems and span:
        problems += _apart_from(broken, kind.untimely(given, *span()))
    if problems or request is None:
        raise invalid(*(_issue(place, *problem) for problem in problems[:ISSUES_MAX]))
    return (msgspec.structs.replace(request, **changed) if changed else request), warnings


def _issue(place: Callable[[str], str], path: str, message: str) -> Issue:
    field, dot, inner = path.partition(".")
    return Issue(f"{place(field)}{dot}{inner}", message)


def _unknown(
    kind: type[msgspec.Struct], values: Values, place: Callable[[str], str], path: str = ""
) -> Iterator[Warning]:
    known = fields(kind)
    for name, value in values.items():
        field = known.get(name)
        if field is None:
            close = difflib.get_close_matches(name[:_NAME_CHARS], known, 1)
            hint = f" Did you mean `{close[0]}`?" if close else ""
            where = place(path + name[:_NAME_CHARS])
            yield Warning(path=where, message=f"Unknown, ignored.{hint}")
        elif field.holds:
            for step, inner in _objects(value):
                yield from _unknown(field.holds, inner, place, f"{path}{name}{step}.")


def _objects(value: Any) -> list[tuple[str, Values]]:
    """A value that is an object, or those in it that are, with their steps in a path."""
    if isinstance(value, dict):
        return [("", cast(Values, value))]
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [(f".{n}", cast(Values, item)) for n, item in enumerate(items) if isinstance(item, dict)]


_NAME_CHARS = 80


def _shortened(value: Any) -> Any:
    """Without the tails of long lists: naming the problems of all items would take seconds."""
    if isinstance(value, list):
        return [_shortened(item) for item in cast("list[Any]", value)[:ISSUES_MAX]]
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in cast("Values", value).items()}
    return value


def _schema_problems(kind: type[Request], values: Values) -> Iterator[Problem]:
    for error in _validator(kind).iter_errors(values):
        for path, message in _messages(error):
            yield ".".join(path), message


def _apart_from(broken: set[str], problems: list[Problem]) -> Iterator[Problem]:
    """The problems of what is not known to be broken, and in nothing that is."""
    for path, message in problems:
        steps = path.split(".")
        if broken.isdisjoint(".".join(steps[:count]) for count in range(1, len(steps) + 1)):
            yield path, message


def _ruled(
    kind: type[Request], values: Values, broken: set[str]
) -> tuple[dict[str, Any], list[Problem]]:
    """What the rules of fields make of their values, by attribute, and what they refuse."""
    changed: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, field in fields(kind).items():
        value = values.get(name)
        if field.rule is None or value is None or name in broken:
            continue
        value, places = _sound(name, value, broken)
        try:
            changed[field.attribute] = field.rule.apply(value)
        except Problems as error:
            for place, message in error.problems:
                problems.append((name if place is None else f"{name}.{places[place]}", message))
        except ValueError as error:
            problems.append((name, str(error)))
    return changed, problems


def _sound(name: str, value: Any, broken: set[str]) -> tuple[Any, Sequence[int]]:
    """A value without the items of a list that are broken, and where the others stood."""
    if not isinstance(value, list):
        return value, ()
    items = cast("list[Any]", value)
    places = [place for place in range(len(items)) if f"{name}.{place}" not in broken]
    return [items[place] for place in places], places


def _messages(error: ValidationError) -> Iterator[tuple[list[str], str]]:
    """`(path, message)` of a schema error; a nullable value is reported by its other form."""
    rules: Any = error.schema
    if error.validator == "anyOf" and error.context:
        for inner in error.context:
            if inner.validator != "type" or inner.validator_value != "null":
                yield from _messages(inner)
        return
    if error.validator == "pattern" and error.instance == "" and "minLength" in rules:
        return  # that it is empty says it
    path = [str(part) for part in error.absolute_path]
    if error.validator == "required":
        name = error.message.split("'")[1]
        yield [*path, name], "This field is required."
        return
    yield path or ["body"], _sentence(error)


def _sentence(error: ValidationError) -> str:
    limit: Any = error.validator_value
    given: Any = error.instance
    match error.validator:
        case "type" if limit == "array" and isinstance(given, str) and _is_json_list(given):
            return 'Expected a list, got text that holds one. Send ["a", "b"], or a,b in a query.'
        case "type":
            return f"Expected {_TYPES.get(limit, limit)}, got {_kind_of(given)}."
        case "maxLength":
            return f"At most {limit} characters; this has {len(given)}."
        case "minLength":
            return "Must not be empty."
        case "enum":
            return f"Use one of: {', '.join(str(value) for value in limit)}."
        case "pattern":
            return f"This {_PATTERNS.get(limit, f'must match {limit}')}"
        case rule:
            return _BOUNDS.get(str(rule), f"Breaks the rule {rule}: {{}}.").format(limit)


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "a number"


class Shape(Enum):
    """How a value that came as text (a query parameter, a tool argument) is read."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    LIST = "list"

    def read(self, text: str) -> str | int | Decimal | list[str]:
        """The value that `text` stands for; validation refuses text of another form."""
        match self:
            case Shape.NUMBER if _DIGITS.fullmatch(text):
                return int(text[:_DIGITS_MAX])
            case Shape.AMOUNT if _AMOUNT.fullmatch(text):
                return Decimal(text)
            case Shape.LIST if text and not _is_json_list(text):
                return text.split(",")
            case _:
                return text


def _is_json_list(text: str) -> bool:
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(msgspec.json.decode(text), list)
    except (msgspec.DecodeError, RecursionError):
        return False


_AMOUNT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")
_DIGITS = re.compile("(?!-0+$)-?[0-9]+")
_DIGITS_MAX = 18


@cache
def shapes(kind: type[Request]) -> dict[str, Shape]:
    """The shapes of a request's fields by their name on the wire."""
    return {field.encode_name: _shape(field.type) for field in msgspec.structs.fields(kind)}


def _shape(annotation: Any) -> Shape:
    parts = [annotation, *get_args(annotation)]
    bases = [get_args(part)[0] if hasattr(part, "__metadata__") else part for part in parts]
    if int in bases:
        return Shape.NUMBER
    if Credits in bases:
        return Shape.AMOUNT
    if any(get_origin(base) is list for base in bases):
        return Shape.LIST
    return Shape.TEXT
