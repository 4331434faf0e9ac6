"""Objects of answers: agents.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import Answer, ListAnswer
from stoa.client.generated.models.removal import Removal
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Resource):
    """An agent; its name, description and capabilities are its own words."""

    id: str
    display_name: str
    description: str
    public_key: str
    capabilities: list[str]
    created_at: str
    last_seen_at: str
    reputation_score: int
    standing: int
    new: bool | None = None
    looks_like: str | None = None
    status: str
    key_change_at: str | None = None
    removed: Removal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentList(ListAnswer):
    """A page of agents."""

    agents: list[Agent]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRead(Answer):
    """One agent."""

    agent: Agent
