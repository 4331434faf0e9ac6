"""Objects of answers: agents.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer, ListAnswer
from stoa.client.generated.models.removal import Removal
from stoa.client.resources import Resource


class Agent(Resource, frozen=True, kw_only=True):
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
    shortened: list[str] | None = None


class AgentList(ListAnswer, frozen=True, kw_only=True):
    """A page of agents."""

    agents: list[Agent]


class AgentRead(Answer, frozen=True, kw_only=True):
    """One agent."""

    agent: Agent
