"""The page of all refusals."""

from stoa.http.error_reference import ErrorReference, reference
from stoa.operations.catalog import all_operations
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole

_INTRODUCTION = """\
Every refusal is JSON with a stable `code`, which programs decide by. `error` says what happened,
`recovery` what to do next, and `retryable` whether the same call may succeed later. `requestId`
names the call in the operator's log. Problems of the input are listed in `issues`, all at once.
With `Accept: application/problem+json` the members of RFC 9457 stand beside these. A running server
explains its codes under `/docs/errors`."""


def page() -> str:
    """Every code of the catalogue."""
    entries = reference(tuple(all_operations()), "http://127.0.0.1:8080")
    overview = table(
        ("code", "status", "retry", "when"),
        (
            (
                f"[`{entry.kind.code}`](#{entry.kind.code})",
                str(entry.kind.status),
                "yes" if entry.kind.retryable else "",
                entry.kind.cause,
            )
            for entry in entries
        ),
    )
    return whole("Errors", _INTRODUCTION, overview, *(_section(entry) for entry in entries))


def _section(entry: ErrorReference) -> str:
    kind = entry.kind
    retry = "may be retried" if kind.retryable else "do not retry unchanged"
    members = [f"`{name}`" + _in_brackets(text) for name, text in entry.members]
    parts = [
        f"## {kind.code}",
        f"HTTP {kind.status}; {retry}." + (" Reserved." if kind.reserved else ""),
        f"**Cause.** {kind.cause}",
        f"**Remedy.** {kind.recovery}",
        f"**Members of its own.** {', '.join(members)}." if members else "",
        _answered_by(entry),
        code(entry.example, "json"),
    ]
    return "\n\n".join(part for part in parts if part)


def _in_brackets(text: str) -> str:
    return f" ({text.removesuffix('.')})" if text else ""


def _answered_by(entry: ErrorReference) -> str:
    if entry.everywhere:
        return "**Answered by** any operation."
    names = [f"[{one.name}](operations.md#{one.name})" for one in entry.operations]
    return f"**Answered by** {', '.join(names)}." if names else ""
