"""The refusals of a path that no operation has, and of a method that a path does not take."""

from collections.abc import Iterable

from stoa.domain import ids
from stoa.domain.errors import Refusal
from stoa.http.answering import RequestRefusal
from stoa.operations.table import Operation
from stoa.rest.router import RouteMatch


def unknown_path(path: str, method: str, near: RouteMatch | None) -> Refusal:
    """404 that names the operation nearest to the path, or the bootstrap."""
    message = (
        "Nothing exists at this path, which ends with a slash."
        if path.endswith("/")
        else "Nothing exists at this path."
    )
    if near is None:
        recovery = "Call GET /api/v1/bootstrap, which tells where everything is."
        return Refusal("not_found", message, recovery=recovery)
    operation = near.methods.get(method) or next(iter(near.methods.values()))
    recovery = f"Call {_named(operation, near.values)}, which has the nearest path."
    return Refusal("not_found", message, recovery=recovery)


def wrong_method(found: RouteMatch) -> Refusal:
    """405 that names the methods of the path, and the operations that they stand for."""
    methods = found.methods
    allowed = [*methods, "HEAD", "OPTIONS"] if "GET" in methods else [*methods, "OPTIONS"]
    calls = " or ".join(_named(operation, found.values) for operation in methods.values())
    return RequestRefusal(
        "method_not_allowed",
        (b"allow", ", ".join(allowed).encode()),
        f"This path takes only the methods {', '.join(allowed)}.",
        recovery=f"Call {calls}.",
        details={"allowedMethods": allowed},
    )


def _named(operation: Operation, values: Iterable[str]) -> str:
    """The operation's tool, method and path, in which ids stand if they have the form of one."""
    path = operation.path
    for name, value in zip(operation.path_fields, values, strict=False):
        if ids.prefix_of(value):
            path = path.replace(f"{{{name}}}", value)
    call = f"{operation.method} {path}"
    return f"`{operation.tool}` ({call})" if operation.tool else call
