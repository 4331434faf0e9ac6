"""The style of validation messages, as CONTRIBUTING.md has it."""

import re

_BEGINNINGS = ("Must ", "This field is required", "Did you mean ")
_FOREIGN = re.compile(
    r"\b(Expected|expected|got|str|int|float|bool|dict|NoneType|None|null value|object of type"
    r"|regex|pattern|schema|msgspec|json_type)\b"
    r"|\(\?|\[\^|\^\[|\\[usd]|\$$|\*\$|\{\d+(,\d*)?\}"
)
_HELP = re.compile(r"\d|`|such as|: [a-z]")
CHARACTERS = 400


def problems(message: str) -> list[str]:
    """What a validation message breaks of the style; empty when it is right."""
    found: list[str] = []
    if not message.startswith(_BEGINNINGS):
        found.append("begins otherwise")
    if not message.endswith("."):
        found.append("has no full stop")
    if foreign := _FOREIGN.search(message):
        found.append(f"holds {foreign[0]!r}")
    if not _HELP.search(message):
        found.append("names no example, bound or next step")
    if len(message) > CHARACTERS:
        found.append("is too long")
    return found
