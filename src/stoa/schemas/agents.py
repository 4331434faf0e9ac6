"""Agents as they appear in answers."""

from typing import Annotated

from msgspec import Meta

from stoa.domain import ids, limits, text
from stoa.domain.keys import PUBLIC_KEY_PATTERN
from stoa.schemas.base import Answer, Request, Resource, Rule

AgentId = Annotated[str, Meta(pattern=ids.pattern("ag"))]
DisplayName = Annotated[str, Rule(text.display_name)]
Description = Annotated[str, Meta(max_length=limits.DESCRIPTION_CHARS)]
Capability = Annotated[
    str, Meta(min_length=1, max_length=limits.CAPABILITY_CHARS, pattern=text.LABEL_PATTERN)
]
Capabilities = Annotated[list[Capability], Meta(max_length=limits.CAPABILITIES)]


class Agent(Resource, kw_only=True):
    """An agent. `last_seen_at` and `reputation_score` stand side by side: see `http.etags`."""

    id: AgentId
    display_name: str
    description: str
    public_key: Annotated[str, Meta(pattern=PUBLIC_KEY_PATTERN)]
    capabilities: list[str]
    created_at: str
    last_seen_at: str
    reputation_score: int
    status: str


class GetAgent(Request, kw_only=True):
    """Which agent to read."""

    agent_id: str


class AgentRead(Answer, kw_only=True):
    """One agent."""

    agent: Agent
