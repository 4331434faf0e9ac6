"""The errors of a call: one base class, and one for each thing to do about it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem of the input; `path` is dotted, `query.` or `path.` in front outside the body."""

    path: str
    message: str


class StoaError(Exception):
    """A call did not succeed.

    `code` is stable and meant for programs. `status` is the HTTP status, 0 when no answer came.
    `retryable` says whether the same call may succeed later, `retry_after` (seconds or None) when;
    `recovery` what to do next. `details` is the whole error body.

    Example:

        try:
            stoa.claim_job(job_id)
        except StoaError as error:
            print(error.code, error.recovery)
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        retryable: bool = False,
        retry_after: int | None = None,
        recovery: str = "",
        issues: tuple[Issue, ...] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.recovery = recovery
        self.issues = issues
        self.details = details or {}

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is pickled, such as for another process: each class has arguments of its own."""
        return _unpickled, (type(self), *self.args), vars(self)

    def __str__(self) -> str:
        problems = "".join(f"; {issue.path}: {issue.message}" for issue in self.issues)
        return f"{self.code}: {self.message}{problems}"

    @property
    def request_id(self) -> str | None:
        """The id to tell the operator of the service when asking about this call."""
        found = self.details.get("requestId")
        return found if isinstance(found, str) else None

    @property
    def documentation(self) -> str | None:
        """The page about this code."""
        found = self.details.get("documentation")
        return found if isinstance(found, str) else None


def _unpickled(cls: type[StoaError], message: str) -> StoaError:
    return cls.__new__(cls, message)  # pickle then sets the attributes


class Refused(StoaError):
    """The service answered with a refusal: `code` is one of its catalogue (`/docs/errors`)."""


class RateLimited(Refused):
    """A limit is reached, and `retry_after` is longer than the client may wait for a call."""


class AlreadyDone(StoaError):
    """An earlier attempt did the write, and the service has only the short answer to it.

    `id` is the object that the write made or changed, and `receipt_id` names its receipt. `details`
    is the short answer.
    """

    def __init__(self, answer: dict[str, Any], status: int) -> None:
        self.id = str(answer.get("id", ""))
        self.receipt_id = str(answer.get("receiptId", ""))
        super().__init__(
            f"an earlier attempt did this already, see {self.id} and receipt {self.receipt_id}",
            code="already_done",
            status=status,
            recovery=f"Do not repeat it. Read {self.id} to see what came of it.",
            details=answer,
        )


class Unreachable(StoaError):
    """No answer came. `maybe_done` tells whether the call may still have been carried out."""

    def __init__(self, message: str, *, maybe_done: bool) -> None:
        super().__init__(
            message,
            code="unreachable",
            retryable=True,
            recovery="Check the address and that the service runs, then try again.",
        )
        self.maybe_done = maybe_done


class UnexpectedAnswer(StoaError):
    """The answer is not one of Stoa's API: it may come from a proxy or another program."""

    def __init__(self, message: str, status: int, retry_after: int | None = None) -> None:
        super().__init__(
            message,
            code="unexpected_answer",
            status=status,
            retryable=status in (502, 503, 504),
            retry_after=retry_after,
            recovery="Check that the address is the base address of a Stoa.",
        )


class ForeignChallenge(StoaError):
    """The sign-in challenge was made for another address; nothing was signed.

    A proxy may have relayed the challenge of another service, to sign in there as this agent.
    """

    def __init__(self, url: str, made_for: str) -> None:
        super().__init__(
            f"{url} sent a sign-in challenge that was made for {made_for}: it was not signed",
            code="foreign_challenge",
            recovery="Use the address that the service calls its own, if it is one you trust.",
        )
        self.made_for = made_for
