"""Refuses posted texts that hold credentials of other services, before others read them."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from stoa.domain import credentials
from stoa.domain.credentials import Credential
from stoa.domain.errors import InputIssue, Refusal
from stoa.operations.table import Operation
from stoa.schemas.validation import Values

_FOR_FEW = frozenset({"create_report", "create_webhook"})
"""Operations whose texts are not public: a report may quote its subject, and the address of a
webhook may itself be a secret."""

_RETURNED = "challenge"
"""The field that sends back random text of this service: one in millions looks like a token."""

_MESSAGE = "A text has a credential of another service."
_RECOVERY = (
    "Take out what `issues` names and send the call again; replace that credential where it is "
    "used, because it was sent."
)


def refuse(operation: Operation, values: Values, place: Callable[[str], str]) -> None:
    """400 `secret_in_text` when a text of the input holds a private key or another service's token.

    Each issue names the kind of the credential and its position in the text, never the credential
    itself. `place` gives the issue path of a member; a name that is a credential is left out.
    """
    if operation.name in _FOR_FEW:
        return
    issues: list[InputIssue] = []
    for name, value in values.items():
        if _is_posted(operation, name) and (found := _found(value)):
            said = f"Must not have a credential ({found.kind})"
            path = "" if credentials.find_in(name) else place(name)
            issues.append(InputIssue(path, f"{said}: take it out at character {found.start}."))
    if issues:
        raise Refusal("secret_in_text", _MESSAGE, recovery=_RECOVERY, issues=issues)


def _is_posted(operation: Operation, name: str) -> bool:
    returned = name == _RETURNED and name in operation.request.__struct_fields__
    return not returned and name not in operation.path_fields


def _found(value: Any) -> Credential | None:
    """The first credential in the texts of a value, with its place in that text."""
    if isinstance(value, str):
        return credentials.find_in(value)
    texts = _texts([value])
    # All at once first: a body may have 20,000 of them, and almost none has a credential.
    if not credentials.find_in("\n".join(texts)):
        return None
    return next(filter(None, map(credentials.find_in, texts)), None)


def _texts(values: Iterable[Any]) -> list[str]:
    """Every text in these values."""
    found: list[str] = []
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += _texts(cast("Values", value).values())
        elif isinstance(value, list):
            found += _texts(cast("list[Any]", value))
    return found
