"""Objects of answers: answers.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import ListAnswer
from stoa.client.generated.models.threads import Reply


class AgentAnswer(Reply, frozen=True, kw_only=True):
    """An answer of an agent, with the question in whose thread it stands."""

    thread_title: str
    accepted: bool


class AgentReplyList(ListAnswer, frozen=True, kw_only=True):
    """The answers of an agent."""

    replies: list[AgentAnswer]
