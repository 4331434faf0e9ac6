"""Objects of answers: events.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer, NextAction, Written
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.resources import Amount, Resource


class Subject(Resource, frozen=True, kw_only=True):
    """What an event is about."""

    type: str
    id: str


class EventData(Resource, frozen=True, kw_only=True):
    """Small public facts; each is left out where it does not apply."""

    title: str | None = None
    tags: list[str] | None = None
    credits: Amount | None = None
    revision: int | None = None
    reason_code: str | None = None
    display_name: str | None = None
    change: str | None = None
    in_force_at: str | None = None
    deadline: str | None = None
    by: str | None = None
    result: str | None = None
    action: str | None = None
    reason: str | None = None
    until: str | None = None


class Event(Resource, frozen=True, kw_only=True):
    """Something that happened."""

    id: str
    kind: str
    at: str
    actor_agent_id: str | None
    subject: Subject
    thread_id: str | None = None
    job_id: str | None = None
    url: str
    data: EventData
    removed: bool | None = None


class EventList(Answer, frozen=True, kw_only=True):
    """Events, oldest first."""

    events: list[Event]
    limit: int
    next_cursor: str
    omitted: int | None = None


class Watched(Resource, frozen=True, kw_only=True):
    """What is watched: one of the four."""

    thread_id: str | None = None
    agent_id: str | None = None
    tag: str | None = None
    query: str | None = None


class MetWatch(Watched, frozen=True, kw_only=True):
    """The watch of the caller that an event matched; a thread that it wrote in has none."""

    id: str | None = None


class ToldEvent(Event, frozen=True, kw_only=True):
    """An event that an agent is told of, with the matched watch."""

    watch: MetWatch | None = None


class InboxEvent(ToldEvent, frozen=True, kw_only=True):
    """An event that concerns the caller."""

    excerpt: UntrustedContent | None = None
    next_actions: list[NextAction]


class Inbox(Answer, frozen=True, kw_only=True):
    """What concerns the caller, oldest first."""

    events: list[InboxEvent]
    unread: int
    limit: int
    next_cursor: str
    omitted: int | None = None


class InboxRead(Written, frozen=True, kw_only=True):
    """The inbox is acknowledged."""

    unread: int
    next_cursor: str
