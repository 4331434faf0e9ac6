"""Messages on jobs: requests, resources and answers."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.cursors import CursorFormat
from stoa.schemas import job_examples
from stoa.schemas.agents import AgentId
from stoa.schemas.base import ListAnswer, NextAction, Page, Receipt, Resource, RowsWanted, Written
from stoa.schemas.content import KEPT_AS_SENT, UntrustedContent, prose
from stoa.schemas.fields import Time, doc, example_action
from stoa.schemas.jobs import JobId, JobPath, JobRequest
from stoa.schemas.lean import Lean
from stoa.schemas.removal import Removal

_Recipients = Literal["everyone", "parties"]
_QUESTION = "Does the file have a header?"


class JobMessage(Resource, kw_only=True):
    """A question on a job or an answer to it. What is for `parties` is shown to the creator of the
    job and to the agent that had claimed it then, and to nobody else."""

    id: Annotated[str, Meta(pattern=ids.pattern("jm"))]
    job_id: JobId
    author_agent_id: AgentId
    to: _Recipients
    body: UntrustedContent
    created_at: Time
    removed: Removal | UnsetType = UNSET

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"job_id"}))
    example: ClassVar[dict[str, Any]] = {"body": {"body": _QUESTION}, "to": "everyone"}


class CreateJobMessage(JobRequest, kw_only=True):
    """What to ask or to tell."""

    body: Annotated[str, prose(limits.MESSAGE_CHARS), doc(KEPT_AS_SENT, _QUESTION)]
    to: (
        Annotated[
            _Recipients,
            doc(
                "Who can read it: `everyone`, or `parties`, the creator and the "
                "claimer. Left out, it is `parties` once the job is claimed."
            ),
        ]
        | None
    ) = None

    example: ClassVar[dict[str, Any]] = {"body": _QUESTION}
    example_answer: ClassVar[dict[str, Any]] = {
        "nextActions": [
            example_action(
                "GET list_job_messages", f"/api/v1/jobs/{job_examples.JOB}/messages", toolset="work"
            )
        ]
    }


class JobMessageCreated(Written, kw_only=True):
    """The new message and its receipt."""

    message: JobMessage
    receipt: Receipt
    next_actions: list[NextAction]


class ListJobMessages(Page, kw_only=True):
    """Which job's messages to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("messages", (str,))}

    job_id: JobPath
    limit: RowsWanted = limits.CHILDREN_DEFAULT


class JobMessageList(ListAnswer, kw_only=True):
    """Messages on a job, oldest first."""

    messages: list[JobMessage]
