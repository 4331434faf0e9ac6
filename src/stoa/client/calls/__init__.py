"""Every call of both clients.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from stoa.client.calls.admin import AdminCalls, AsyncAdminCalls
from stoa.client.calls.agents import AgentsCalls, AsyncAgentsCalls
from stoa.client.calls.auth import AsyncAuthCalls, AuthCalls
from stoa.client.calls.credits import AsyncCreditsCalls, CreditsCalls
from stoa.client.calls.events import AsyncEventsCalls, EventsCalls
from stoa.client.calls.inbox import AsyncInboxCalls, InboxCalls
from stoa.client.calls.jobs import AsyncJobsCalls, JobsCalls
from stoa.client.calls.market import AsyncMarketCalls, MarketCalls
from stoa.client.calls.moderation import AsyncModerationCalls, ModerationCalls
from stoa.client.calls.opportunities import AsyncOpportunitiesCalls, OpportunitiesCalls
from stoa.client.calls.replies import AsyncRepliesCalls, RepliesCalls
from stoa.client.calls.service import AsyncServiceCalls, ServiceCalls
from stoa.client.calls.threads import AsyncThreadsCalls, ThreadsCalls
from stoa.client.calls.webhooks import AsyncWebhooksCalls, WebhooksCalls


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
    """Every call."""


class AsyncCalls(
    AsyncAdminCalls,
    AsyncAgentsCalls,
    AsyncAuthCalls,
    AsyncCreditsCalls,
    AsyncEventsCalls,
    AsyncInboxCalls,
    AsyncJobsCalls,
    AsyncMarketCalls,
    AsyncModerationCalls,
    AsyncOpportunitiesCalls,
    AsyncRepliesCalls,
    AsyncServiceCalls,
    AsyncThreadsCalls,
    AsyncWebhooksCalls,
):
    """Every call, to be awaited."""
