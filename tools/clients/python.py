"""Writes the Python client's models, operations and calls."""

import builtins
import keyword
import textwrap
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from tools.clients import layout
from tools.clients.layout import Imports, call, docstring, mapping, quoted
from tools.clients.samples import SAMPLES, iterator, shown, singular
from tools.clients.table import (
    Choice,
    Many,
    Map,
    Member,
    Named,
    Nullable,
    Object,
    Operation,
    Table,
    Type,
)

SIMPLE = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "amount": "Amount",
    "boolean": "bool",
    "any": "Any",
}
PAGING = ("limit", "offset", "cursor", "maxTokens")
ROWS_A_PAGE = 100

T = TypeVar("T")

_TYPING: Imports = {
    "collections.abc": {"Mapping", "Sequence"},
    "typing": {"Any", "Literal", "NotRequired", "TypedDict"},
}


def files(root: Path, table: Table) -> dict[Path, str]:
    """The files below `src/stoa/client` and their text."""
    client = root / "src/stoa/client/generated"
    modules = _grouped(table.answers, lambda item: item.module)
    tags = _grouped(table.operations, lambda item: item.tag)
    texts = {client / "operations.py": _operations(table)}
    for module, objects in modules.items():
        texts[client / "models" / f"{module}.py"] = _models(module, objects, modules, table)
    texts[client / "models" / "choices.py"] = _choices(table)
    texts[client / "models" / "inputs.py"] = _inputs(table)
    texts[client / "models" / "__init__.py"] = _model_package(modules, table)
    for tag, operations in tags.items():
        texts[client / "calls" / f"{tag}.py"] = _calls(tag, operations, table)
    texts[client / "calls" / "__init__.py"] = _call_package(tags)
    return texts


def _grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    return {name: list(group) for name, group in groupby(sorted(items, key=key), key)}


# --- Types.


def _annotation(kind: Type, own: str = "") -> str:
    """How a type is written; `own` is the class being written, which is not known yet."""
    match kind:
        case Choice(values, name):
            return name or f"Literal[{', '.join(map(quoted, values))}]"
        case Many(item):
            return f"list[{_annotation(item, own)}]"
        case Map(value):
            return f"dict[str, {_annotation(value, own)}]"
        case Named(name):
            return quoted(name) if name == own else name
        case Nullable(inner):
            return f"{_annotation(inner, own)} | None"
        case str():
            return SIMPLE[kind]


def _accepted(kind: Type) -> str:
    """How the type of an argument is written, which takes more than an answer gives."""
    match kind:
        case "amount":
            return "AmountInput"
        case Many(item):
            return f"Sequence[{_accepted(item)}]"
        case Map(value):
            return f"Mapping[str, {_accepted(value)}]"
        case Named(name):
            return f"{name}Input"
        case Nullable(inner):
            return f"{_accepted(inner)} | None"
        case _:
            return _annotation(kind)


# --- Models.


def _choices(table: Table) -> str:
    body = "\n".join(
        f"{name}: TypeAlias = Literal[\n"
        + "".join(f"    {quoted(value)},\n" for value in choice.values)
        + "]\n"
        for name, choice in table.choices.items()
    )
    imports = {"typing": {"Literal", "TypeAlias"}}
    return layout.module("What may stand in fields with many choices.", imports, body)


def _models(
    module: str, objects: list[Object], modules: Mapping[str, list[Object]], table: Table
) -> str:
    imports: Imports = {
        **_TYPING,
        "stoa.client.generated.models.choices": set(table.choices),
        "stoa.client.resources": {"Amount", "Resource"},
    }
    for other, items in modules.items():
        if other != module:
            imports[f"stoa.client.generated.models.{other}"] = {item.name for item in items}
    body = "\n\n".join(_model(item) for item in objects)
    return layout.module(f"Objects of answers: {module}.", imports, body)


def _model(item: Object) -> str:
    members = "".join(
        f"    {member.name}: {_annotation(member.type, item.name)}\n"
        if not member.optional
        else f"    {member.name}: {_or_none(_annotation(member.type, item.name))} = None\n"
        for member in item.members
    )
    head = f"class {item.name}({item.base or 'Resource'}, frozen=True, kw_only=True):"
    text = f"{head}\n{docstring(4, _first_sentence(item.doc))}"
    return f"{text}\n{members}" if members else text


def _or_none(annotation: str) -> str:
    return annotation if annotation.endswith("| None") else f"{annotation} | None"


def _first_sentence(doc: str) -> str:
    """The rest of a type's documentation is about the server's code."""
    sentence, dot, _ = doc.partition(". ")
    return f"{sentence}." if dot else doc


def _inputs(table: Table) -> str:
    imports = {
        **_TYPING,
        "stoa.client.generated.models.choices": set(table.choices),
        "stoa.client.resources": {"AmountInput"},
    }
    body = "\n\n".join(map(_input, table.inputs))
    return layout.module("Objects inside requests, as they go into the JSON.", imports, body)


def _input(item: Object) -> str:
    members = "".join(
        f"    {member.wire}: NotRequired[{_accepted(member.type)}]\n"
        if member.optional
        else f"    {member.wire}: {_accepted(member.type)}\n"
        for member in item.members
    )
    doc = docstring(4, _first_sentence(item.doc))
    return f"class {item.name}Input(TypedDict):\n{doc}\n{members}"


def _model_package(modules: Mapping[str, list[Object]], table: Table) -> str:
    imports = {
        f"stoa.client.generated.models.{module}": {item.name for item in objects}
        for module, objects in modules.items()
    }
    imports["stoa.client.generated.models.choices"] = set(table.choices)
    imports["stoa.client.generated.models.inputs"] = {f"{item.name}Input" for item in table.inputs}
    names = sorted(name for items in imports.values() for name in items)
    lines = "".join(f"    {quoted(name)},\n" for name in names)
    body = f"__all__ = [\n{lines}]\n"
    return layout.module("Every object that travels between client and service.", imports, body)


# --- Operations.


def _operations(table: Table) -> str:
    body = "\n".join(
        call(
            0,
            f"{operation.name.upper()} = ClientOperation",
            [
                quoted(operation.name),
                quoted(operation.method),
                quoted(operation.path),
                operation.answer,
                f"repeatable={operation.repeatable}",
                f"signed={operation.signed}",
                *(["keyed=True"] if operation.keyed else []),
            ],
        )
        for operation in table.operations
    )
    imports: Imports = {
        "stoa.client.generated.models": {operation.answer for operation in table.operations},
        "stoa.client.operation": {"ClientOperation"},
    }
    return layout.module("Every operation of the service.", imports, body)


# --- Calls.


def _calls(tag: str, operations: list[Operation], table: Table) -> str:
    imports: Imports = {
        **_TYPING,
        "stoa.client.calling": {"call", "rows"},
        "stoa.client.connection": {"BaseConnection"},
        "stoa.client.generated": {"operations"},
        "stoa.client.generated.models": {item.name for item in table.answers}
        | {f"{item.name}Input" for item in table.inputs}
        | set(table.choices),
        "stoa.client.protocol": {"Steps"},
        "stoa.client.resources": {"AmountInput"},
        "stoa.client.source": {"Source"},
    }
    doc = f"The calls about {tag}."
    head = f"class {_class(tag)}(BaseConnection):\n{docstring(4, doc)}\n"
    body = head + "\n".join(map(_methods, operations))
    return layout.module(doc, imports, body)


def _class(tag: str) -> str:
    return f"{tag.title().replace('-', '').replace(' ', '')}Calls"


def _methods(operation: Operation) -> str:
    text = _method(operation)
    return f"{text}\n{_each(operation)}" if operation.rows else text


def _method(operation: Operation) -> str:
    parameters = sorted(operation.parameters, key=_order)
    head = _signature("call", operation.name, parameters, f"Steps[{operation.answer}]")
    paragraphs = [operation.summary, operation.description, "Example:", _example(operation)]
    if operation.errors:
        codes = ", ".join(f"`{code}`" for code in operation.errors)
        paragraphs.append(f"Refusals of its own: {codes}.")
    doc = docstring(8, *(text for text in paragraphs if text))
    return head + doc + _passing("return self._call", operation, parameters, ())


def _order(parameter: Member) -> tuple[bool, bool]:
    return parameter.optional, parameter.wire in PAGING


def _argument(parameter: Member) -> str:
    taken = keyword.iskeyword(parameter.name) or hasattr(builtins, parameter.name)
    return f"{parameter.name}_" if taken else parameter.name


def _signature(decorator: str, name: str, parameters: list[Member], returned: str) -> str:
    head = f"def {name}"
    mark = f"    @{decorator}\n"
    if not parameters:
        return f"{mark}    {head}(self) -> {returned}:\n"
    lines = ["self"]
    for parameter in parameters:
        if parameter.optional and "*" not in lines:
            lines.append("*")
        accepted = _accepted(parameter.type)
        default = f"{_or_none(accepted)} = None" if parameter.optional else accepted
        lines.append(f"{_argument(parameter)}: {default}")
    one_line = f"    {head}({', '.join(lines)}) -> {returned}:\n"
    if len(one_line) <= layout.WIDTH + 1:
        return mark + one_line
    one_inner = f"        {', '.join(lines)}\n"
    if len(one_inner) <= layout.WIDTH + 1:
        return f"{mark}    {head}(\n{one_inner}    ) -> {returned}:\n"
    exploded = "".join(f"        {line},\n" for line in lines)
    return f"{mark}    {head}(\n{exploded}    ) -> {returned}:\n"


def _passing(
    head: str, operation: Operation, parameters: Iterable[Member], more: tuple[str, ...]
) -> str:
    constant = f"operations.{operation.name.upper()}"
    pairs = [(parameter.wire, _argument(parameter)) for parameter in parameters]
    one_line = ", ".join((constant, mapping(0, pairs), *more))
    fits = len(one_line) + 8 + len(head) + 2 <= layout.WIDTH or len(one_line) + 12 <= layout.WIDTH
    values = mapping(0 if fits else 12, pairs)
    return call(8, head, [constant, values, *more])


_NAMES = {
    "public_key": "public_key",
    "new_signature": "new_signature",
    "next_cursor": "next_cursor",
}
"""Names in samples as this language writes them."""


def _example(operation: Operation) -> str:
    given = [
        f"{_argument(parameter)}={SAMPLES[parameter.wire].format_map(_NAMES)}"
        for parameter in shown(operation)
    ]
    example = call(12, f"answer = stoa.{operation.name}", given)
    return textwrap.indent(textwrap.dedent(example), "    ").rstrip()


def _each(operation: Operation) -> str:
    rows = operation.rows
    assert rows
    assert isinstance(rows.type, Many)
    parameters = [p for p in sorted(operation.parameters, key=_order) if p.wire not in PAGING]
    name = iterator(operation.name)
    row = singular(rows.wire)
    given = ", ".join(
        f"{_argument(parameter)}={SAMPLES[parameter.wire]}" for parameter in shown(operation)
    )
    example = f"    for {row} in stoa.{name}({given}):\n        print({row})"
    summary = f"Every row of `{operation.name}`, {ROWS_A_PAGE} to a page, as you go."
    doc = docstring(8, summary, "Example:", example)
    head = _signature("rows", name, parameters, f"Source[{_annotation(rows.type.item)}]")
    return head + doc + _passing("return self._each", operation, parameters, (quoted(rows.name),))


def _call_package(tags: Mapping[str, list[Operation]]) -> str:
    imports: Imports = {f"stoa.client.generated.calls.{tag}": {_class(tag)} for tag in tags}
    body = call(0, "class Calls", [_class(tag) for tag in tags], "):") + docstring(
        4, "Every call, for both clients."
    )
    return layout.module("Every call of both clients.", imports, body)
