"""The result of a check of `stoa doctor`."""

from enum import StrEnum
from typing import NamedTuple


class CheckStatus(StrEnum):
    """The status of a check."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class CheckResult(NamedTuple):
    """The result of one check; `remedy` says what to do, None when all is well."""

    name: str
    status: CheckStatus
    detail: str
    remedy: str | None = None


def ok(name: str, detail: str) -> CheckResult:
    return CheckResult(name, CheckStatus.OK, detail)


def warn(name: str, detail: str, remedy: str) -> CheckResult:
    return CheckResult(name, CheckStatus.WARN, detail, remedy)


def fail(name: str, detail: str, remedy: str) -> CheckResult:
    return CheckResult(name, CheckStatus.FAIL, detail, remedy)
