"""Turns raw values into a typed request, or names every problem they have.

The fast way is one msgspec conversion. Only when it fails are all problems listed, with the JSON
Schema that the same types give.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, get_args, get_origin

import msgspec

from stoa.domain.credits import Credits
from stoa.domain.errors import InputIssue, Refusal, invalid
from stoa.domain.text import Problems
from stoa.schemas import messages
from stoa.schemas.base import Request, Rule, Warning, convert, json_schema
from stoa.schemas.names import IN_QUERY, NAME_CHARS_MAX, Names, plain

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

R = TypeVar("R", bound=Request)
Values = dict[str, Any]
InputProblem = tuple[str, str]
"""The dotted path of a value and what is wrong with it."""


class GivenTwice(Refusal):
    """400 for names that were given twice; `values` are the others, which may be wrong too."""

    def __init__(self, issues: Sequence[InputIssue], values: Values) -> None:
        super().__init__("invalid_request", issues=issues)
        self.values = values


ISSUES_MAX = 100
"""Of further problems of one input is said how many there are: a body can hold thousands."""
_COUNTED_MAX = 1000
"""Further problems are not even counted."""


class _Field(NamedTuple):
    attribute: str
    required: bool
    rule: Rule | None
    holds: type[msgspec.Struct] | None


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, _Field]:
    """The fields of a request, or of an object in it, by their name on the wire."""
    return {
        field.encode_name: _Field(field.name, field.required, _rule(field.type), _held(field.type))
        for field in msgspec.structs.fields(kind)
    }


@cache
def _holders(kind: type[msgspec.Struct]) -> tuple[tuple[str, type[msgspec.Struct]], ...]:
    """The fields that hold objects, with the type of these."""
    return tuple((name, field.holds) for name, field in fields(kind).items() if field.holds)


@cache
def names(
    kind: type[msgspec.Struct], without: tuple[str, ...] = (), besides: tuple[str, ...] = ()
) -> Names:
    """The names that an input may have: the fields `without` some, and others `besides`."""
    return Names([*(name for name in fields(kind) if name not in without), *besides])


@cache
def _rules(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, Rule], ...]:
    """The names of the fields that have a rule, on the wire and as attributes, with it."""
    return tuple(
        (name, field.attribute, field.rule) for name, field in fields(kind).items() if field.rule
    )


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
    import jsonschema.validators as jsonschema  # which would be a tenth of the start

    extended: Any = jsonschema.extend  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return extended(jsonschema.Draft202012Validator, {"items": _items})(json_schema(kind))


def _items(
    validator: Any, items: Any, value: object, schema: dict[str, Any]
) -> "Iterator[ValidationError]":
    """What is wrong with the items of a list. Of one that is too long, that is told alone: to look
    at all items takes seconds."""
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    if len(listed) <= schema.get("maxItems", len(listed)):
        for place, item in enumerate(listed):
            yield from validator.descend(item, items, path=place)


def parse(
    kind: type[R],
    values: Values,
    place: Callable[[str], str] = str,
    span: Callable[[], tuple[int, int]] | None = None,
    offered: Names | None = None,
) -> tuple[R, list[Warning]]:
    """The request and a warning for each unknown value.

    `place` gives the issue path of a field (`query.limit`); `span` gives what `Request.untimely`
    is asked with when there are other problems. `offered` are the names that the caller may use,
    those of all fields unless given: what is nearly one of them is a problem. Raises 400
    `invalid_request`. `values` are changed when it does.
    """
    refused: list[InputIssue] = []
    warnings: list[Warning] = []
    if not values.keys() <= fields(kind).keys() or _holders(kind):
        refused, warnings = _sorted_out(_strangers(kind, values, offered or names(kind)), place)
    request, given, problems = _converted(kind, values)
    # A rule is not tried on a value that is broken: it would tell the same mistake once more.
    broken = set(dict(problems))
    if conflicts := kind.conflicts(given):
        problems += _apart_from(broken, conflicts)
    changed, ruled = _ruled(kind, given, broken) if _rules(kind) else ({}, [])
    problems += ruled
    if span and (problems or refused):
        problems += _apart_from(broken, kind.untimely(given, *span()))
    if problems or refused or request is None:
        issues = [*refused, *(_issue(place, *problem) for problem in problems)]
        raise invalid(*_named(issues))
    return (msgspec.structs.replace(request, **changed) if changed else request), warnings


def _converted(kind: type[R], values: Values) -> tuple[R | None, Values, list[InputProblem]]:
    """The request, if the values are right, the values that count and what is wrong with them."""
    try:
        return convert(values, kind), values, []
    except msgspec.ValidationError:
        pass
    # Nulls are looked for only here, since most values have none.
    given = _without_nulls(kind, values)
    try:
        return convert(given, kind), given, []
    except msgspec.ValidationError:
        return None, given, list(islice(_schema_problems(kind, given), _COUNTED_MAX))


def _named(issues: list[InputIssue]) -> list[InputIssue]:
    """The issues, or the first of them and how many more there are."""
    more = len(issues) - ISSUES_MAX
    if more <= 0:
        return issues
    return [*issues[:ISSUES_MAX], InputIssue("", messages.more_problems(more, most=_COUNTED_MAX))]


def _without_nulls(kind: type[msgspec.Struct], values: Values) -> Values:
    """The values without optional fields that are null: they count as absent, at every depth."""
    known = fields(kind)
    kept = {
        name: value
        for name, value in values.items()
        if value is not None or name not in known or known[name].required
    }
    for name, holds in _holders(kind):
        value = kept.get(name)
        if isinstance(value, list):
            kept[name] = [_nulls_left_out(holds, item) for item in cast("list[Any]", value)]
        elif name in kept:
            kept[name] = _nulls_left_out(holds, value)
    return kept


def _nulls_left_out(kind: type[msgspec.Struct], value: Any) -> Any:
    return _without_nulls(kind, cast(Values, value)) if isinstance(value, dict) else value


def _issue(place: Callable[[str], str], path: str, message: str) -> InputIssue:
    field, dot, inner = path.partition(".")
    return InputIssue(f"{place(field)}{dot}{inner}", message)


class _Stranger(NamedTuple):
    """An unknown name in an object, where that stands and what else could have been meant: for one
    that is in no list also what is `around` it, the whole request."""

    path: str
    name: str
    kind: type[msgspec.Struct]
    beside: Values
    names: Names
    around: type[msgspec.Struct] | None


def _strangers(
    kind: type[msgspec.Struct],
    values: Values,
    offered: Names,
    path: str = "",
    around: type[msgspec.Struct] | None = None,
) -> Iterator[_Stranger]:
    known = fields(kind)
    if not values.keys() <= known.keys():
        for name in [name for name in values if name not in known]:
            yield _Stranger(path, name, kind, values, offered, around)
    for name, holds in _holders(kind):
        whole = None if shapes(kind)[name].is_list else around if path else kind
        for step, inner in _objects(values.get(name)):
            yield from _strangers(holds, inner, names(holds), f"{path}{name}{step}.", whole)


def _sorted_out(
    strangers: Iterable[_Stranger], place: Callable[[str], str]
) -> tuple[list[InputIssue], list[Warning]]:
    """An issue for each unknown name that nearly is a known one, and a warning for each other.

    Values of the latter are moved to the names that were meant, so that what else is wrong is told
    as well. All names are looked up, and only the first compared letter by letter: a body can hold
    20,000.
    """
    refused, warnings, more = list[InputIssue](), list[Warning](), 0
    for count, (path, name, kind, beside, offered, around) in enumerate(strangers):
        measured = count < ISSUES_MAX
        meant = offered.meant(name, measured=measured)
        refusal = _refusal(kind, name, measured=measured)
        if not meant:
            refusal = refusal or _misplaced(kind, name) or _too_deep(around, path, name)
        if refusal:
            refused.append(InputIssue(place(path + name), refusal))
            continue
        if not meant:
            if len(warnings) < ISSUES_MAX:
                shown = name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
                warnings.append(Warning(path=place(path + shown), message=messages.UNKNOWN))
            else:
                more += 1
            continue
        field = next((field for field in meant if field not in beside), meant[0])
        refused.append(InputIssue(place(path + name), messages.did_you_mean(field)))
        value = beside.pop(name)  # so that its mistakes are told in the same answer
        shape = shapes(kind).get(field, Shape.TEXT)
        beside.setdefault(field, shape.read(value) if isinstance(value, str) else value)
    if more:
        warnings.append(Warning(path="", message=messages.more_unknown(more)))
    return refused, warnings


def _refusal(kind: type[msgspec.Struct], name: str, *, measured: bool) -> str | None:
    """The sentence that refuses an unknown name of a request, if one does."""
    if not issubclass(kind, Request) or not kind.refused:
        return None
    meant = _refused_names(kind).meant(name.removeprefix(IN_QUERY), measured=measured)
    return kind.refused[meant[0]] if meant else None


def _misplaced(kind: type[msgspec.Struct], name: str) -> str | None:
    """The sentence about a name that an object in the request has, if one has it."""
    within = _within(kind).get(plain(name)) if len(name) <= NAME_CHARS_MAX else None
    return messages.did_you_mean(within) if within else None


def _too_deep(around: type[msgspec.Struct] | None, path: str, name: str) -> str | None:
    """The sentence about a name in an object that the request `around` it has, if it has it. Not of
    one that objects in answers have as well: callers send back what they read."""
    if around is None or len(name) > NAME_CHARS_MAX or name in _SHOWN:
        return None
    outside = _plain_names(around).get(plain(name))
    return messages.stands_beside(outside, path.partition(".")[0]) if outside else None


_SHOWN = frozenset({"type"})


@cache
def _plain_names(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {plain(field): field for field in fields(kind)}


@cache
def _within(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The paths of the fields of objects in a request, such as `terms.claimHours`, by their plain
    names. Objects in lists are left out: a name alone does not tell which of them is meant."""
    found: dict[str, str] = {}
    for name, holds in _holders(kind):
        if not shapes(kind)[name].is_list:
            paths = _plain_names(holds) | _within(holds)
            found = {key: f"{name}.{path}" for key, path in paths.items()} | found
    return found


@cache
def _refused_names(kind: type[Request]) -> Names:
    return Names(kind.refused)


def _objects(value: Any) -> list[tuple[str, Values]]:
    """A value that is an object, or those in it that are, with their steps in a path."""
    if isinstance(value, dict):
        return [("", cast(Values, value))]
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [(f".{n}", cast(Values, item)) for n, item in enumerate(items) if isinstance(item, dict)]


_NAME_CHARS = 80


def _schema_problems(kind: type[Request], values: Values) -> Iterator[InputProblem]:
    for error in _validator(kind).iter_errors(values):
        for path, message in _messages(error, kind.example):
            yield ".".join(path), message


def _apart_from(broken: set[str], problems: list[InputProblem]) -> Iterator[InputProblem]:
    """The problems of what is not known to be broken, and in nothing that is."""
    for path, message in problems:
        steps = path.split(".")
        if broken.isdisjoint(".".join(steps[:count]) for count in range(1, len(steps) + 1)):
            yield path, message


def _ruled(
    kind: type[Request], values: Values, broken: set[str]
) -> tuple[dict[str, Any], list[InputProblem]]:
    """What the rules of fields make of their values, by attribute where that is something else, and
    what they refuse."""
    changed: dict[str, Any] = {}
    problems: list[InputProblem] = []
    for name, attribute, rule in _rules(kind):
        value = values.get(name)
        if value is None or name in broken:
            continue
        value, places = _sound(name, value, broken)
        try:
            ruled = rule.apply(value)
            if ruled is not value:
                changed[attribute] = ruled
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


def _messages(error: "ValidationError", example: Values) -> Iterator[tuple[list[str], str]]:
    """`(path, message)` of a schema error; a nullable value is reported by its other form."""
    rules: Any = error.schema
    if error.validator == "anyOf" and error.context:
        for inner in error.context:
            if inner.validator != "type" or inner.validator_value != "null":
                yield from _messages(inner, example)
        return
    if error.validator == "pattern" and error.instance == "" and "minLength" in rules:
        return  # that it is empty says it
    steps = list(error.absolute_path)
    if error.validator == "required":
        name = error.message.split("'")[1]
        steps.append(name)
        message = messages.missing(steps, rules["properties"][name], example)
    elif error.validator_value == "array" and _is_list_as_text(error.instance):
        message = messages.LIST_AS_TEXT
    else:
        message = messages.sentence(error, steps, example)
    yield [str(step) for step in steps], message


class Shape(Enum):
    """How a value that came as text (a query parameter, a tool argument) is read."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    LIST = "list"
    TEXTS = "texts"
    LABELS = "labels"
    FLAG = "flag"

    @property
    def is_list(self) -> bool:
        """Whether the field holds a list."""
        return self in (Shape.LIST, Shape.TEXTS, Shape.LABELS)

    def read(self, text: str) -> str | int | bool | Decimal | list[str]:
        """The value that `text` stands for; validation refuses text of another form.

        Only short labels are split at commas, beside which blanks may stand. Other text is one item
        of a list of texts, unless it begins like a list that was meant to be one.
        """
        match self:
            case Shape.TEXT:
                return text
            case Shape.NUMBER if _DIGITS.fullmatch(text):
                sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
                digits = digits.lstrip("0") or "0"
                return int(sign + (digits if len(digits) <= _DIGITS_MAX else "9" * _DIGITS_MAX))
            case Shape.FLAG if text in _FLAGS:
                return _FLAGS[text]
            case Shape.AMOUNT if _AMOUNT.fullmatch(text):
                return Decimal(text)
            case Shape.LABELS if text and not _BEGINS_LIST.match(text) and not is_json_list(text):
                return [part.strip() for part in text.split(",")]
            case Shape.TEXTS if text and not _BEGINS_LIST.match(text):
                return text if is_json_list(text) else [text]
            case _:
                return text


def is_json_list(text: object) -> bool:
    """Whether a value is text that holds a JSON list."""
    if not isinstance(text, str) or not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(msgspec.json.decode(text), list)
    except (msgspec.DecodeError, RecursionError):
        return False


def _is_list_as_text(value: object) -> bool:
    begins = isinstance(value, str) and _BEGINS_LIST.match(value)
    return bool(begins) or is_json_list(value)


_BEGINS_LIST = re.compile(r'\s*\[\s*["\[{]')
_FLAGS = {"true": True, "false": False}
_AMOUNT = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?")
_DIGITS = re.compile("(?!-0+$)-?[0-9]+")
_DIGITS_MAX = 18


@cache
def shapes(kind: type[msgspec.Struct]) -> dict[str, Shape]:
    """The shapes of the fields of a request, or of an object in it, by their name on the wire."""
    return {
        field.encode_name: _shape(field.encode_name, field.type)
        for field in msgspec.structs.fields(kind)
    }


LABEL_LISTS = frozenset({"capabilities", "kinds", "tags", "toolsets", "types"})
"""The fields with lists of short labels, in which no comma can be."""


def _shape(name: str, annotation: Any) -> Shape:
    parts = [annotation, *get_args(annotation)]
    bases = [get_args(part)[0] if hasattr(part, "__metadata__") else part for part in parts]
    if bool in bases:
        return Shape.FLAG
    if int in bases:
        return Shape.NUMBER
    if Credits in bases:
        return Shape.AMOUNT
    listed = next((base for base in bases if get_origin(base) is list), None)
    if name in LABEL_LISTS and listed:
        return Shape.LABELS
    if listed:
        return Shape.LIST if _held(listed) else Shape.TEXTS
    return Shape.TEXT
