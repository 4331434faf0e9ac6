"""How a check of `stoa doctor` ends."""

from enum import StrEnum
from typing import NamedTuple


class CheckStatus(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class CheckResult(NamedTuple):
    """The outcome of one check; `remedy` says what to do, None when all is well."""

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
