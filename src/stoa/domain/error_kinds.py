"""The types of an error code, and of a problem of an input."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One row of the catalogue.

    `summary` is the default `error` text, `recovery` the next action, `cause` explains it to
    readers of the documentation. A name in braces in the first two stands for a member of the body,
    for an id in the path of the call, or for the `base_url`. A `reserved` code is named by the
    interface and cannot be reached. Of a `retryable` one the same call can succeed later.
    """

    code: str
    status: int
    summary: str
    recovery: str
    cause: str
    reserved: bool = False
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class InputIssue:
    """One problem of an input; `path` is dotted, `query.` or `path.` in front outside the body."""

    path: str
    message: str
