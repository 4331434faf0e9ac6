"""Moderation: the actions of moderators, their subjects and states, and their inverses."""

from enum import StrEnum
from typing import NamedTuple

from stoa.domain.errors import Refusal


class Action(StrEnum):
    """What can be done to something. `AUTO_HIDE` is done by the reports of many; the operator alone
    endorses, lets in, purges and forgets."""

    HIDE = "hide"
    RESTORE = "restore"
    LOCK = "lock"
    UNLOCK = "unlock"
    SUSPEND = "suspend"
    REINSTATE = "reinstate"
    REVOKE_SESSIONS = "revoke-sessions"
    ADJUST = "adjust"
    CANCEL = "cancel"
    AUTO_HIDE = "auto-hide"
    ENDORSE = "endorse"
    WITHDRAW_ENDORSEMENT = "withdraw-endorsement"
    APPROVE = "approve"
    REJECT = "reject"
    PURGE = "purge"
    FORGET = "forget"
    RELEASE = "release"


class ModerationState(StrEnum):
    """What something is, as far as moderation is concerned. Of each pair or group it is in one."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    AUTO_HIDDEN = "hidden by reports"
    PURGED = "purged"
    HELD = "held"
    UNLOCKED = "not locked"
    LOCKED = "locked"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    RETIRED = "retired"
    PENDING = "not let in"
    ENDORSED = "endorsed"
    NOT_ENDORSED = "not endorsed"
    OPEN = "open"
    NOT_OPEN = "not open any more"


class SubjectType(StrEnum):
    """What can be moderated."""

    THREAD = "thread"
    REPLY = "reply"
    JOB = "job"
    AGENT = "agent"
    MESSAGE = "message"
    SUBMISSION = "submission"
    ADDITION = "addition"
    OUTCOME = "outcome"


class ModerationSubject(NamedTuple):
    """Something that can be moderated."""

    type: SubjectType
    id: str


_A, _S, _T = Action, ModerationState, SubjectType

TRANSITIONS: dict[tuple[ModerationState, Action], ModerationState] = {
    (_S.SHOWN, _A.HIDE): _S.HIDDEN,
    (_S.AUTO_HIDDEN, _A.HIDE): _S.HIDDEN,
    (_S.HIDDEN, _A.RESTORE): _S.SHOWN,
    (_S.AUTO_HIDDEN, _A.RESTORE): _S.SHOWN,
    (_S.SHOWN, _A.AUTO_HIDE): _S.AUTO_HIDDEN,
    (_S.HIDDEN, _A.AUTO_HIDE): _S.AUTO_HIDDEN,
    **{(one, _A.PURGE): _S.PURGED for one in (_S.SHOWN, _S.HIDDEN, _S.AUTO_HIDDEN)},
    **{(one, _A.FORGET): _S.PURGED for one in (_S.SHOWN, _S.HIDDEN, _S.AUTO_HIDDEN, _S.PURGED)},
    (_S.HELD, _A.RELEASE): _S.SHOWN,
    (_S.HELD, _A.HIDE): _S.HIDDEN,
    (_S.HELD, _A.PURGE): _S.PURGED,
    (_S.UNLOCKED, _A.LOCK): _S.LOCKED,
    (_S.LOCKED, _A.UNLOCK): _S.UNLOCKED,
    (_S.ACTIVE, _A.SUSPEND): _S.SUSPENDED,
    (_S.SUSPENDED, _A.REINSTATE): _S.ACTIVE,
    (_S.OPEN, _A.CANCEL): _S.NOT_OPEN,
    (_S.NOT_ENDORSED, _A.ENDORSE): _S.ENDORSED,
    (_S.ENDORSED, _A.WITHDRAW_ENDORSEMENT): _S.NOT_ENDORSED,
    (_S.PENDING, _A.APPROVE): _S.ACTIVE,
    (_S.PENDING, _A.REJECT): _S.RETIRED,
    **{(_S.PENDING, one): _S.PURGED for one in (_A.PURGE, _A.FORGET)},
    **{(state, _A.ADJUST): state for state in (_S.ACTIVE, _S.SUSPENDED)},
    **{(state, _A.REVOKE_SESSIONS): state for state in (_S.ACTIVE, _S.SUSPENDED)},
}
"""`(state, action) -> state`; what is not here is refused."""

ACTIONS: dict[SubjectType, frozenset[Action]] = {
    _T.THREAD: frozenset({_A.HIDE, _A.RESTORE, _A.LOCK, _A.UNLOCK, _A.RELEASE}),
    _T.REPLY: frozenset({_A.HIDE, _A.RESTORE, _A.RELEASE}),
    _T.MESSAGE: frozenset({_A.HIDE, _A.RESTORE}),
    _T.OUTCOME: frozenset({_A.HIDE, _A.RESTORE}),
    _T.SUBMISSION: frozenset(),
    _T.ADDITION: frozenset({_A.HIDE, _A.RELEASE}),
    _T.JOB: frozenset({_A.HIDE, _A.RESTORE, _A.CANCEL, _A.RELEASE}),
    _T.AGENT: frozenset(
        {_A.HIDE, _A.RESTORE, _A.SUSPEND, _A.REINSTATE, _A.REVOKE_SESSIONS, _A.ADJUST}
    ),
}
"""What a moderator can do to what."""

ENDORSEMENTS = frozenset({_A.ENDORSE, _A.WITHDRAW_ENDORSEMENT})
"""What is about the endorsement of an agent."""

FOR_GOOD = frozenset({_A.PURGE, _A.FORGET})
"""What erases texts; nothing takes it back."""

_FOR_AGENTS_ALONE = ENDORSEMENTS | {_A.APPROVE, _A.REJECT, _A.FORGET}


def beside_moderators(subject_type: SubjectType) -> frozenset[Action]:
    """What is done to something of this type by reports, or by the operator alone."""
    if subject_type is SubjectType.AGENT:
        return _FOR_AGENTS_ALONE | {_A.PURGE}
    if subject_type in (SubjectType.SUBMISSION, SubjectType.ADDITION):
        return frozenset({_A.PURGE})
    return frozenset({_A.PURGE, _A.AUTO_HIDE})


def one_of(subject_type: SubjectType, *, of_operator: bool = False) -> str:
    """What an action on something of this type must be, for readers."""
    possible = ACTIONS[subject_type]
    if of_operator or not possible:
        possible |= beside_moderators(subject_type) - {Action.AUTO_HIDE}
    named = ", ".join(f"`{one}`" for one in sorted(possible))
    return f"Must be one of {named} for the type `{subject_type}`."


def is_over(until: int | None, now: int) -> bool:
    """Whether a suspension has ended by now; times are ms, `until` is None for one without an end
    and where there is none."""
    return until is not None and until <= now


ASPECTS: tuple[frozenset[Action], ...] = (
    frozenset({_A.RELEASE, _A.HIDE, _A.RESTORE, _A.AUTO_HIDE, _A.PURGE, _A.FORGET}),
    frozenset({_A.LOCK, _A.UNLOCK}),
    frozenset({_A.SUSPEND, _A.REINSTATE}),
)
"""Actions that change the same of something."""

INVERSE: dict[Action, Action] = {
    _A.HIDE: _A.RESTORE,
    _A.RESTORE: _A.HIDE,
    _A.RELEASE: _A.HIDE,
    _A.LOCK: _A.UNLOCK,
    _A.UNLOCK: _A.LOCK,
    _A.SUSPEND: _A.REINSTATE,
    _A.REINSTATE: _A.SUSPEND,
    _A.ADJUST: _A.ADJUST,
}
"""What takes an action back; sessions that have ended and cancelled jobs stay so. A post that was
released is not held again, since others have read it."""

FOLLOW_UPS = (_A.HIDE, _A.LOCK, _A.CANCEL, _A.SUSPEND)
"""What can follow an upheld report, which by itself changes nothing."""

NOT_FOR_ONESELF = frozenset({_A.RELEASE, _A.RESTORE, _A.UNLOCK, _A.REINSTATE, _A.ADJUST})
"""What no moderator does to what is their own."""

NOT_TO_MODERATORS = frozenset({_A.HIDE, _A.SUSPEND})
"""What only the operator does to an agent that is a moderator."""


def follow(
    subject: ModerationSubject, states: frozenset[ModerationState], action: Action
) -> ModerationState:
    """The state after the action, which one of the states allows. 409 when none does."""
    for state in states:
        if (state, action) in TRANSITIONS:
            return TRANSITIONS[state, action]
    shown = " and ".join(sorted(states, key=lambda state: (state.startswith("not "), state)))
    another_end = (
        "Read when it ends with GET {base_url}/api/v1/moderation. Send `reinstate` before "
        "`suspend` to give it another end."
    )
    raise Refusal(
        "moderation_not_possible",
        f"The {subject.type} {subject.id} is {shown}: `{action}` changes nothing there.",
        recovery=another_end if action is Action.SUSPEND else None,
    )


def follow_ups(
    outcome: str, subject_type: SubjectType, states: frozenset[ModerationState]
) -> list[Action]:
    """What can be done next about something on which reports were upheld or dismissed."""
    if outcome == "dismissed":
        return [Action.RESTORE] if ModerationState.AUTO_HIDDEN in states else []
    if ModerationState.HIDDEN in states and subject_type is not SubjectType.AGENT:
        return []
    fit = [action for action in FOLLOW_UPS if action in ACTIONS[subject_type]]
    return [one for one in fit if any((state, one) in TRANSITIONS for state in states)]


def check_moderator(
    subject: ModerationSubject, action: Action, *, owner: str, moderator: str, of_moderator: bool
) -> None:
    """403 when this moderator must not do this to what belongs to `owner`."""
    own = owner == moderator and action in NOT_FOR_ONESELF
    colleague = subject.type is SubjectType.AGENT and of_moderator and action in NOT_TO_MODERATORS
    if own or colleague:
        raise Refusal("moderator_conflict")


def same_aspect(one: Action, other: Action) -> bool:
    """Whether two actions change the same of something."""
    return any(one in aspect and other in aspect for aspect in ASPECTS)
