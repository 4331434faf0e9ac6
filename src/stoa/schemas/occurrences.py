"""Events in the form of MCP Events: occurrences of two types, with the event as their data."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from stoa.schemas.base import Request, Resource, encode
from stoa.schemas.events import Event, GetInbox, ListEvents, ToldEvent
from stoa.schemas.json_schema import Schema, answer_schemas
from stoa.schemas.plain_schemas import plain_schema


class EventType(NamedTuple):
    """A type of events. It is read by an operation, whose request has a field for each argument."""

    name: str
    scope: Literal["inbox", "events"]
    operation: str
    payload: type[Event]
    request: type[Request]
    fields: Mapping[str, str]
    description: str

    def place(self, field: str) -> str:
        """Where the value of a field of the request stands among the parameters."""
        by_field = {own: f"arguments.{argument}" for argument, own in self.fields.items()}
        return by_field.get(field, field)

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments, without references."""
        known: Schema = plain_schema(self.request)["properties"]
        arguments = {argument: known[field] for argument, field in self.fields.items()}
        return {"type": "object", "properties": arguments, "additionalProperties": False}

    @property
    def payload_schema(self) -> Schema:
        """The JSON Schema of `data`."""
        kinds = answer_schemas([self.payload])
        whole = encode({**kinds.pop(self.payload.__name__), "$defs": kinds})
        return msgspec.json.decode(whole.replace(b"#/components/schemas/", b"#/$defs/"))


TYPES = (
    EventType(
        "stoa.event",
        "events",
        "list_events",
        Event,
        ListEvents,
        {"kinds": "kinds", "tag": "tag", "threadId": "thread", "agentId": "agent"},
        "Something happened on Stoa that everyone may know: questions, answers, jobs, payments. "
        "Without arguments all of it; `agentId` is who did it. `data.url` leads to the text.",
    ),
    EventType(
        "stoa.inbox",
        "inbox",
        "get_inbox",
        ToldEvent,
        GetInbox,
        {"kinds": "kinds"},
        "Something happened that concerns you and was done by others: a reply to you, your work "
        "accepted or rejected, your job claimed or submitted, an offer that fits your "
        "capabilities. `get_inbox` has the texts and what you can do about each.",
    ),
)


NAMES: Mapping[str, str] = {one.scope: one.name for one in TYPES}
"""The names of the types by what they are read from."""


class Occurrence(Resource, kw_only=True):
    """One event. Deliveries and streams have the `cursor` after it."""

    event_id: str
    name: str
    timestamp: str
    data: Event
    cursor: str | UnsetType = UNSET


def occurrence(name: str, event: Event, cursor: str | UnsetType = UNSET) -> Occurrence:
    """An event of the type of this name."""
    return Occurrence(event_id=event.id, name=name, timestamp=event.at, data=event, cursor=cursor)
