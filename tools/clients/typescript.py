"""Writes the typed parts of the TypeScript client, between marks in its one file."""

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from tools.clients.samples import SAMPLES, camel, iterator, shown, singular
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

FILE = "src/stoa/web/static/agent-client.ts"
WIDTH = 100
PAGING = ("limit", "offset", "cursor", "maxTokens")
SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "amount": "number",
    "boolean": "boolean",
    "any": "unknown",
}


def files(root: Path, table: Table) -> dict[Path, str]:
    """The client file with its generated parts."""
    path = root / FILE
    text = path.read_text(encoding="utf-8")
    text = _filled(text, "types", _types(table))
    text = _filled(text, "operations", _operations(table))
    text = _filled(text, "calls", textwrap.indent(_calls(table), "  "))
    return {path: text}


def _filled(text: str, part: str, lines: str) -> str:
    """`text` with `lines` between the marks of a part."""
    marks = re.compile(
        rf"(// --- {part.capitalize()}\.[^\n]*\n).*?( *// --- End of {part}\.)", re.DOTALL
    )
    filled, count = marks.subn(lambda found: f"{found[1]}\n{lines}\n{found[2]}", text)
    assert count == 1, f"the marks of {part} are missing in {FILE}"
    return filled


def pascal(name: str) -> str:
    """`create_thread` as `CreateThread`."""
    return "".join(word.capitalize() for word in name.split("_"))


def _comment(text: str) -> str:
    line = f"/** {text} */\n"
    if len(line) <= WIDTH + 1 - 2:
        return line
    lines = textwrap.wrap(text, WIDTH - 5)
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _written(kind: Type, suffix: str = "") -> str:
    """How a type is written; `suffix` marks objects that go into requests."""
    match kind:
        case Choice(values, name):
            return name or " | ".join(f'"{value}"' for value in values)
        case Many(item):
            inner = _written(item, suffix)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case Map(value):
            return f"Record<string, {_written(value, suffix)}>"
        case Named(name):
            return f"{name}{suffix}"
        case Nullable(inner):
            return f"{_written(inner, suffix)} | null"
        case str():
            return SIMPLE[kind]


# --- Types.


def _types(table: Table) -> str:
    choices = "".join(_choice(name, choice) for name, choice in table.choices.items())
    objects = [_interface(item, "") for item in table.answers]
    inputs = [_interface(item, "Input") for item in table.inputs]
    requests = [_request(operation) for operation in table.operations if operation.parameters]
    return "\n".join([choices, *objects, *inputs, *requests])


def _choice(name: str, choice: Choice) -> str:
    values = "".join(f'\n  | "{value}"' for value in choice.values)
    return f"export type {name} ={values};\n"


def _interface(item: Object, suffix: str) -> str:
    extends = f" extends {item.base}" if item.base else ""
    sentence, _, _ = item.doc.partition(". ")
    head = f"export interface {item.name}{suffix}{extends} {{"
    comment = _comment(f"{sentence.rstrip('.')}.")
    if not item.members:
        return f"{comment}{head}}}\n"
    return f"{comment}{head}\n{_members(item.members, suffix)}}}\n"


def _members(members: Iterable[Member], suffix: str) -> str:
    return "".join(
        f"  {member.wire}{'?' if member.optional else ''}: {_written(member.type, suffix)};\n"
        for member in members
    )


def _input(operation: Operation) -> str:
    return f"{pascal(operation.name)}Input"


def _request(operation: Operation) -> str:
    ordered = sorted(operation.parameters, key=lambda member: member.wire in PAGING)
    comment = _comment(f"What `{camel(operation.name)}` takes.")
    return f"{comment}export interface {_input(operation)} {{\n{_members(ordered, 'Input')}}}\n"


# --- Operations and calls.


def _operations(table: Table) -> str:
    rows = "".join(_operation(operation) for operation in table.operations)
    return f"const OPERATIONS = {{\n{rows}}};\n"


def _operation(operation: Operation) -> str:
    arguments = [f'"{operation.method}"', f'"{operation.path}"']
    if operation.keyed:
        arguments.append('"keyed"')
    elif operation.repeatable and operation.method != "GET":
        arguments.append('"repeatable"')
    if not operation.signed:
        arguments.append('"unsigned"')
    return f"  {camel(operation.name)}: operation({', '.join(arguments)}),\n"


def _calls(table: Table) -> str:
    return "\n".join(_call(operation) for operation in table.operations).rstrip()


def _call(operation: Operation) -> str:
    name = camel(operation.name)
    # What `only` throws is a rejection then, as all else that goes wrong.
    modifier = "async " if operation.parameters else ""
    text = (
        _documentation(operation)
        + f"{modifier}{name}({_parameter(operation)}): Promise<{operation.answer}> {{\n"
        + f"  return this.call(OPERATIONS.{name}, {_given(operation)});\n}}\n"
    )
    return f"{text}\n{_each(operation)}" if operation.rows else text


def _parameter(operation: Operation, without: str = "") -> str:
    if not operation.parameters:
        return ""
    kind = f"Omit<{_input(operation)}, {without}>" if without else _input(operation)
    optional = all(parameter.optional for parameter in operation.parameters)
    return f"input: {kind}{' = {}' if optional else ''}"


def _given(operation: Operation) -> str:
    return "only(input, arguments)" if operation.parameters else "{}"


def _documentation(operation: Operation) -> str:
    paragraphs = [operation.summary, operation.description]
    texts = [textwrap.wrap(text, WIDTH - 5) for text in paragraphs if text]
    call = f"await stoa.{camel(operation.name)}"
    texts.append(_indented(f"const answer = {call}({_example(operation)});"))
    if operation.errors:
        codes = ", ".join(f"`{code}`" for code in operation.errors)
        texts.append(textwrap.wrap(f"Refusals of its own: {codes}.", WIDTH - 5))
    return _block(texts)


def _indented(line: str) -> list[str]:
    """An example; the members of an object that is too long for the line stand one by one."""
    if len(line) + 9 <= WIDTH:
        return [f"    {line}"]
    head, _, rest = line.partition("{ ")
    members = [f"      {member}," for member in rest.removesuffix(" });").split(", ")]
    return [f"    {head}{{", *members, "    });"]


def _head(name: str, parameter: str, row: str) -> str:
    line = f"{name}({parameter}): AsyncGenerator<{row}> {{\n"
    if len(line) + 1 <= WIDTH:
        return line
    return f"{name}(\n  {parameter},\n): AsyncGenerator<{row}> {{\n"


def _block(paragraphs: Iterable[list[str]]) -> str:
    body = "\n *\n".join("\n".join(f" * {line}" for line in lines) for lines in paragraphs)
    return f"/**\n{body}\n */\n"


_NAMES = {"public_key": "publicKey", "new_signature": "newSignature", "next_cursor": "nextCursor"}
"""Names in samples as this language writes them."""


def _example(operation: Operation) -> str:
    given = [
        f"{parameter.wire}: {SAMPLES[parameter.wire].format_map(_NAMES)}"
        for parameter in shown(operation)
    ]
    return f"{{ {', '.join(given)} }}" if given else ""


def _each(operation: Operation) -> str:
    rows = operation.rows
    assert rows
    assert isinstance(rows.type, Many)
    name, row = camel(iterator(operation.name)), singular(rows.wire)
    loop = f"for await (const {row} of stoa.{name}({_example(operation)})) {{"
    summary = f"Every row of `{camel(operation.name)}`, 100 to a page, as you go."
    return (
        _block([[summary], [f"    {loop}", f"      console.log({row});", "    }"]])
        + _head(name, _parameter(operation, "keyof Paging"), _written(rows.type.item))
        + f"  return this.each(OPERATIONS.{camel(operation.name)}, {_given(operation)}, "
        + f'"{rows.wire}");\n}}\n'
    )
