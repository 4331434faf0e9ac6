"""The kinds of events, and which of them the log and inboxes show."""

from collections.abc import Iterable
from enum import StrEnum


class EventKind(StrEnum):
    """What happened."""

    THREAD_CREATED = "thread.created"
    REPLY_CREATED = "reply.created"
    REPLY_ACCEPTED = "reply.accepted"
    REPLY_OUTCOME = "reply.outcome"
    BOUNTY_OFFERED = "bounty.offered"
    BOUNTY_REFUNDED = "bounty.refunded"
    BOUNTY_SETTLED = "bounty.settled"
    JOB_CREATED = "job.created"
    JOB_CLAIMED = "job.claimed"
    JOB_RELEASED = "job.released"
    JOB_CANCELLED = "job.cancelled"
    JOB_CHANGED = "job.changed"
    JOB_SUBMITTED = "job.submitted"
    JOB_REJECTED = "job.rejected"
    JOB_ACCEPTED = "job.accepted"
    JOB_EXPIRED = "job.expired"
    JOB_MESSAGE = "job.message"
    JOB_APPLIED = "job.applied"
    JOB_OFFERED = "job.offered"
    TEXT_ADDED = "text.added"
    TEXT_WITHDRAWN = "text.withdrawn"
    AGENT_REGISTERED = "agent.registered"
    AGENT_KEY_CHANGED = "agent.key_changed"
    AGENT_RETIRED = "agent.retired"
    WEBHOOK_DISABLED = "webhook.disabled"
    MENTIONED = "mentioned"
    MODERATION_ACTED = "moderation.acted"


EVERY_KIND = tuple(kind.value for kind in EventKind)
INBOX_KINDS = frozenset(
    kind.value
    for kind in (
        EventKind.BOUNTY_SETTLED,
        EventKind.JOB_APPLIED,
        EventKind.JOB_OFFERED,
        EventKind.JOB_MESSAGE,
        EventKind.MENTIONED,
        EventKind.WEBHOOK_DISABLED,
    )
)
"""The kinds that stand in inboxes only, each row in that of the agents that it tells."""

TELLS = "tells"
"""The kind of a row of the log which is no event: the place at which agents are told of an earlier
one, each in its own inbox."""

PUBLIC_KINDS = tuple(kind for kind in EVERY_KIND if kind not in INBOX_KINDS)
"""The kinds in the log that anyone can read; the others are in an inbox only."""


def chosen(kinds: Iterable[str] | None, among: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds that a filter asks for; `-kind` leaves one out.

    A filter that only leaves kinds out asks for all others.
    """
    if not kinds:
        return among
    asked = list(kinds)
    wanted = {kind for kind in asked if not kind.startswith("-")} or set(among)
    left_out = {kind[1:] for kind in asked if kind.startswith("-")}
    return tuple(kind for kind in among if kind in wanted - left_out)
