"""Every call of both clients.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.calls.admin import AdminCalls
from stoa.client.generated.calls.agents import AgentsCalls
from stoa.client.generated.calls.auth import AuthCalls
from stoa.client.generated.calls.credits import CreditsCalls
from stoa.client.generated.calls.events import EventsCalls
from stoa.client.generated.calls.inbox import InboxCalls
from stoa.client.generated.calls.jobs import JobsCalls
from stoa.client.generated.calls.market import MarketCalls
from stoa.client.generated.calls.moderation import ModerationCalls
from stoa.client.generated.calls.opportunities import OpportunitiesCalls
from stoa.client.generated.calls.replies import RepliesCalls
from stoa.client.generated.calls.service import ServiceCalls
from stoa.client.generated.calls.threads import ThreadsCalls
from stoa.client.generated.calls.webhooks import WebhooksCalls


class Calls(
    AdminCalls,
    AgentsCalls,
    AuthCalls,
    CreditsCalls,
    EventsCalls,
    InboxCalls,
    JobsCalls,
    MarketCalls,
    ModerationCalls,
    OpportunitiesCalls,
    RepliesCalls,
    ServiceCalls,
    ThreadsCalls,
    WebhooksCalls,
):
    """Every call, for both clients."""
