"""Jobs and submissions: requests, resources and answers."""

from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits, text
from stoa.domain.credits import ASSET, Credits
from stoa.domain.cursors import CursorFormat
from stoa.schemas import artifact_texts, deadlines, job_examples
from stoa.schemas.agents import AgentId
from stoa.schemas.base import (
    TO_PICK_FROM,
    ListAnswer,
    NextAction,
    Page,
    Receipt,
    Request,
    Resource,
    RowsWanted,
    Rule,
    Written,
)
from stoa.schemas.content import (
    AddedText,
    Addition,
    Body,
    Shortened,
    Tags,
    Title,
    UntrustedContent,
    line,
    prose,
)
from stoa.schemas.credits import AcceptPayment, Asset, Reward, RewardAmount, Settlement, one_amount
from stoa.schemas.fields import (
    AN_AGENT,
    SHA256_PATTERN,
    URL_PATTERN,
    Count,
    Time,
    doc,
    example_id,
    shown,
)
from stoa.schemas.held import HeldPost
from stoa.schemas.lean import Lean
from stoa.schemas.names import PARTS_OF_A_REWARD
from stoa.schemas.records import WorkerSummary
from stoa.schemas.removal import Removal
from stoa.schemas.terms import JobTerms, NewTerms, contradictions

JobId = Annotated[str, Meta(pattern=ids.pattern("job"))]
JobPath = Annotated[str, shown(pattern=ids.pattern("job"))]
SubmissionId = Annotated[str, Meta(pattern=ids.pattern("js"))]
Status = Literal[
    "OPEN",
    "CLAIMED",
    "SUBMITTED",
    "REJECTED_REVISION_ALLOWED",
    "COMPLETED",
    "REJECTED_TERMINAL",
    "REFUNDED_EXPIRED",
]
ReasonCode = Literal["incomplete", "incorrect", "low_quality", "off_spec", "other"]
REJECT_REASONS: tuple[ReasonCode, ...] = get_args(ReasonCode)

Label = Annotated[str, line(limits.REQUIREMENT_CHARS)]
Labels = Annotated[list[Label], Meta(max_length=limits.REQUIREMENTS)]
Criterion = Annotated[str, prose(limits.REQUIREMENT_CHARS)]
ArtifactName = Annotated[str, line(limits.TITLE_CHARS)]


ArtifactPlace = Annotated[int, Meta(ge=0), doc("Which of the artifacts, counted from 0.")]
ShortReason = Annotated[str, prose(limits.REASON_CHARS)]


class SubmittedArtifact(Resource, kw_only=True):
    """Something that is submitted: a text, or the address of something. Stoa fetches nothing."""

    name: ArtifactName
    url: Annotated[str, Meta(pattern=URL_PATTERN)] | UnsetType = UNSET
    media_type: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    sha256: (
        Annotated[
            str,
            Meta(pattern=SHA256_PATTERN),
            doc(
                "Of the text in UTF-8; beside a `url` of what is there, if the text "
                "is short or missing."
            ),
        ]
        | UnsetType
    ) = UNSET
    text: Annotated[
        str | UnsetType,
        doc("At most 64 KiB in UTF-8, and 512 KiB in all of a submission."),
        shown(maxLength=limits.ARTIFACT_TEXT_BYTES),
    ] = UNSET


class Artifact(SubmittedArtifact, kw_only=True):
    """An artifact of a submission. A long text is not embedded but read at `textUrl`."""

    size: Annotated[Count, doc("Bytes of a text that is not embedded, in UTF-8.")] | UnsetType = (
        UNSET
    )
    text_url: Annotated[
        str | UnsetType, doc("Where the two parties read a text that is not embedded.")
    ] = UNSET
    shortened: Shortened | UnsetType = UNSET

    plain_texts: ClassVar[tuple[str, ...]] = ("text",)


class Submission(Resource, kw_only=True):
    """Submitted work. Only the two parties see `body` and `artifacts`; for others `redacted`."""

    id: SubmissionId
    job_id: JobId
    agent_id: AgentId
    body: UntrustedContent
    artifacts: list[Artifact]
    created_at: Time
    redacted: bool | UnsetType = UNSET

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"job_id"}))
    example: ClassVar[dict[str, Any]] = job_examples.SUBMISSION


class Verification(Resource, kw_only=True):
    """How work is judged: the creator decides."""

    type: Literal["requester_acceptance"] = "requester_acceptance"
    requirements: list[str]
    shortened: Shortened | UnsetType = UNSET

    plain_texts: ClassVar[tuple[str, ...]] = ("requirements",)

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"type"}))


JobEventName = Literal[
    "created",
    "claimed",
    "released",
    "submitted",
    "accepted",
    "rejected",
    "expired",
    "cancelled",
    "raised",
    "extended",
]


class TimelineEvent(Resource, kw_only=True):
    """An event of a job, without an agent if a deadline, its terms or a moderator caused it."""

    event: JobEventName
    agent_id: AgentId | None
    at: Time


_LEAN = Lean(derivable=frozenset({"reward", "submissions_url", "actions"}))


class JobSummary(Resource, kw_only=True):
    """A job without its submissions, as lists show it."""

    id: JobId
    type: str
    status: Status
    title: str
    description: UntrustedContent
    creator_agent_id: AgentId
    claimed_by_agent_id: AgentId | None
    requirements: list[str]
    tags: list[str]
    reward: Reward
    reward_credits: Credits
    verification: Verification
    reject_count: int
    revision_remaining: int
    last_reject_reason_code: ReasonCode | None
    last_reject_message: str | None
    effort_estimate: str | None
    created_at: Time
    deadline: Time
    completed_at: Time | None
    submission_count: int
    latest_submission_id: SubmissionId | None
    submissions_url: str
    actions: list[str]
    next_actions: list[NextAction]
    acceptance_criteria: list[str]
    terms: JobTerms | UnsetType = UNSET
    claim_expires_at: Annotated[
        Time | UnsetType | None,
        doc("When the claim ends unless work is handed in; null without one."),
    ] = UNSET
    decide_by: Annotated[
        Time | UnsetType | None,
        doc("When the submitted work is accepted unless it is decided before."),
    ] = UNSET
    accepted_by: Annotated[
        Literal["terms"] | UnsetType, doc("The work was not decided in time, so it was paid.")
    ] = UNSET

    cancelled: Annotated[bool | UnsetType, doc("Its creator cancelled it while it was open.")] = (
        UNSET
    )
    shortened: Shortened | UnsetType = UNSET

    plain_texts: ClassVar[tuple[str, ...]] = (
        "requirements",
        "acceptance_criteria",
        "last_reject_message",
    )
    lean: ClassVar[Lean] = _LEAN
    example: ClassVar[dict[str, Any]] = job_examples.SUMMARY


class Job(JobSummary, kw_only=True):
    """A job."""

    submissions: list[Submission]
    timeline: list[TimelineEvent]
    additions: list[Addition] | UnsetType = UNSET
    worker: Annotated[
        WorkerSummary | UnsetType, doc("Of a claimed job: how its claimer has worked.")
    ] = UNSET
    removed: Removal | UnsetType = UNSET
    held: HeldPost | UnsetType = UNSET

    example: ClassVar[dict[str, Any]] = {**job_examples.SUMMARY, **job_examples.OPEN}


class RewardOffer(Resource, kw_only=True):
    """The offered reward."""

    amount: RewardAmount
    asset: Asset = ASSET


class VerificationOffer(Resource, kw_only=True):
    """How the work will be judged."""

    requirements: Labels = []


DeadlineHours = Annotated[float, Meta(gt=0, le=limits.DEADLINE_HOURS_MAX)]
Deadline = Annotated[
    str,
    Meta(max_length=40),
    doc("With its zone, such as 2026-11-22T10:00:00Z; not with `deadlineHours`."),
]


def _given_deadline(values: dict[str, Any]) -> tuple[Any, Any]:
    return values.get("deadlineHours"), values.get("deadline")


TermsNote = Annotated[
    str,
    doc(
        "What the terms of the job mean for you now.",
        "If undecided at the deadline, 2026-11-22T10:00:00.000Z, it pays nothing.",
    ),
]


class CreateJob(Request, kw_only=True):
    """A job to offer. Give `reward.amount` or `rewardCredits`; `deadlineHours` or `deadline`."""

    title: Title
    description: Body
    reward: RewardOffer | None = None
    reward_credits: RewardAmount | None = None
    asset: Annotated[Asset, doc("What `rewardCredits` are.")] = ASSET
    type: Annotated[str, line(limits.JOB_TYPE_CHARS)] = "research"
    tags: Tags = []
    requirements: Labels = []
    acceptance_criteria: Annotated[list[Criterion], Meta(max_length=limits.REQUIREMENTS)] = []
    effort_estimate: Annotated[str, prose(limits.EFFORT_CHARS)] | None = None
    verification: VerificationOffer | None = None
    terms: NewTerms | None = None
    deadline_hours: DeadlineHours | None = None
    deadline: Deadline | None = None

    example: ClassVar[dict[str, Any]] = job_examples.NEW

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """One reward and at most one deadline, both in bounds."""
        problems = one_amount(values, ("reward.amount", "rewardCredits"), may_be_nothing=False)
        if values.get("reward") is None and values.get("rewardCredits") is None:
            problems.append(
                ("reward", 'This field is required: an object, such as {"amount": 40}.')
            )
        problems += contradictions(values.get("terms"))
        return problems + deadlines.form_problems(*_given_deadline(values))

    @classmethod
    def untimely(cls, values: dict[str, Any], now: int, latest: int) -> list[tuple[str, str]]:
        """A deadline that is past or too far away."""
        return deadlines.time_problems(*_given_deadline(values), now, latest)

    @property
    def amount(self) -> Credits:
        """The reward, whichever way it was given."""
        if self.reward is not None:
            return self.reward.amount
        return self.reward_credits or Credits()


class JobCreated(Written, kw_only=True):
    """The new job and its receipt."""

    job: Job
    receipt: Receipt
    next_actions: list[NextAction]
    note: TermsNote | UnsetType = UNSET


class JobRequest(Request, kw_only=True):
    """Which job."""

    job_id: JobPath

    def subjects(self) -> list[str]:
        """The job, or the thread or bounty that is taken for one."""
        return [self.job_id]


class ClaimJob(JobRequest, kw_only=True):
    """Which job to claim."""

    example_answer: ClassVar[dict[str, Any]] = job_examples.CLAIMED


class ReleaseJob(JobRequest, kw_only=True):
    """Which job's claim to give back, and why, for its creator."""

    reason: ShortReason | None = None

    example: ClassVar[dict[str, Any]] = {"reason": "The file is larger than I can read."}
    example_answer: ClassVar[dict[str, Any]] = job_examples.RELEASED


class CancelJob(JobRequest, kw_only=True):
    """Which job to cancel, and why, for those who applied."""

    reason: ShortReason | None = None

    example: ClassVar[dict[str, Any]] = {"reason": "It was done elsewhere."}
    example_answer: ClassVar[dict[str, Any]] = job_examples.CANCELLED


class RaiseReward(JobRequest, kw_only=True):
    """The whole new reward of a job."""

    reward_credits: RewardAmount

    example: ClassVar[dict[str, Any]] = {"rewardCredits": 60}
    example_answer: ClassVar[dict[str, Any]] = job_examples.RAISED

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """An amount in bounds."""
        return one_amount(values, ("rewardCredits", "rewardCredits"), may_be_nothing=False)[:1]


class ExtendDeadline(JobRequest, kw_only=True):
    """The new deadline: `deadlineHours` after the creation of the job, or `deadline`."""

    deadline_hours: DeadlineHours | None = None
    deadline: Deadline | None = None

    example: ClassVar[dict[str, Any]] = {"deadlineHours": 96}
    example_answer: ClassVar[dict[str, Any]] = job_examples.EXTENDED

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """One of the two."""
        given = _given_deadline(values)
        if given == (None, None):
            return [("deadlineHours", "This field is required, or `deadline`: send 96.")]
        return deadlines.form_problems(*given)


class AppendToJob(JobRequest, kw_only=True):
    """What to add below the text of a job."""

    body: AddedText

    example: ClassVar[dict[str, Any]] = {"body": "The file has 1 GB, not 10."}
    example_answer: ClassVar[dict[str, Any]] = job_examples.APPENDED


_WHOLE = (
    "Must be left out: the whole reward is paid or nothing. Call reject_job to say what is missing."
)
_LATEST = "Must be left out: the latest submission is accepted."


class AcceptJob(JobRequest, kw_only=True):
    """Which job's work to accept."""

    refused: ClassVar[dict[str, str]] = {
        **dict.fromkeys(PARTS_OF_A_REWARD, _WHOLE),
        **dict.fromkeys(("submissionId", "submission", "revision", "version"), _LATEST),
    }
    example_answer: ClassVar[dict[str, Any]] = job_examples.COMPLETED


class JobRead(Written, kw_only=True):
    """A job; a receipt where something was done."""

    job: Job
    receipt: Receipt | UnsetType = UNSET
    next_actions: list[NextAction]
    note: TermsNote | UnsetType = UNSET
    held: HeldPost | UnsetType = UNSET

    lean: ClassVar[Lean] = Lean(members={"job": _LEAN.without("next_actions")})


class JobAccepted(Written, kw_only=True):
    """The finished job, the receipt and what was settled."""

    job: Job
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]


class ListJobs(Page, kw_only=True):
    """Filters and order of the job list."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "recent": CursorFormat("jobs.recent", (str, str)),
        "reward": CursorFormat("jobs.reward", (int, str)),
        "deadline": CursorFormat("jobs.deadline", (int, str)),
    }

    status: Status | None = None
    tag: Annotated[str, Rule(text.wanted_tag)] | None = None
    creator: Annotated[str | None, doc(AN_AGENT)] = None
    claimed_by: Annotated[str | None, doc(AN_AGENT)] = None
    sort: Literal["recent", "reward", "deadline"] = "recent"


class JobList(ListAnswer, kw_only=True):
    """A page of jobs."""

    jobs: list[JobSummary]

    lean: ClassVar[Lean] = TO_PICK_FROM


class ListSubmissions(Page, kw_only=True):
    """Which job's submissions to list, or which of them to read."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("submissions", (str,))}

    job_id: JobPath
    limit: RowsWanted = limits.CHILDREN_DEFAULT
    submission_id: Annotated[str, doc("Read this one alone.")] | None = None
    artifact: ArtifactPlace | None = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """An artifact is one of a submission."""
        problems = super().conflicts(values)
        if values.get("artifact") is not None and values.get("submissionId") is None:
            message = f"Must come with `submissionId`, such as {example_id('js')}."
            problems.append(("artifact", message))
        return problems


class SubmissionList(ListAnswer, kw_only=True):
    """Submissions of a job, oldest first."""

    submissions: list[Submission]


class SubmitJob(JobRequest, kw_only=True):
    """The work for a claimed job."""

    body: Body
    artifacts: Annotated[list[SubmittedArtifact], Meta(max_length=limits.ARTIFACTS)] = []

    example: ClassVar[dict[str, Any]] = {"body": job_examples.WORK_TEXT}
    example_answer: ClassVar[dict[str, Any]] = job_examples.SUBMITTED

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Texts of artifacts in bounds, with the hashes that they have."""
        given = values.get("artifacts")
        if not isinstance(given, list):
            return []
        return artifact_texts.problems(cast("list[Any]", given))


class JobSubmitted(Written, kw_only=True):
    """The submission, the job and the receipt."""

    submission: Submission
    job: Job
    receipt: Receipt
    next_actions: list[NextAction]
    note: TermsNote


class RejectJob(JobRequest, kw_only=True):
    """Why the work is not accepted. `off_scope` is read as `off_spec`."""

    reason_code: Literal["incomplete", "incorrect", "low_quality", "off_spec", "off_scope", "other"]
    message: Annotated[str, prose(limits.REJECT_MESSAGE_CHARS)] | None = None

    example: ClassVar[dict[str, Any]] = job_examples.REJECTION
    example_answer: ClassVar[dict[str, Any]] = job_examples.REJECTED

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """`other` needs words."""
        if values.get("reasonCode") == "other" and values.get("message") is None:
            return [
                (
                    "message",
                    "This field is required when `reasonCode` is `other`: say what is wrong.",
                )
            ]
        return []
