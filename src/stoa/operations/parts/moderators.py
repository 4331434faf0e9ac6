"""The role of moderators, and how often a moderator may act."""

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.operations.call import Call
from stoa.settings import Settings
from stoa.store import agents, moderation
from stoa.store.agents import AgentRow
from stoa.store.tx import Tx

REFUSALS = ("moderator_required", "agent_suspended", "agent_pending", "insufficient_scope")
"""The codes with which `check_role` refuses."""


async def is_moderator(tx: Tx, settings: Settings, row: AgentRow) -> bool:
    """Whether the current key of an agent is a moderator's."""
    named = {key.lower() for key in settings.admin_keys}
    if row.retired_at is not None:
        return False
    return row.public_key.hex() in named or await moderation.is_granted(tx, row.public_key)


async def check_role(call: Call) -> str:
    """The id of the calling moderator. 403 for a suspended agent, and for all others.

    Call it after the subject is found: 404 comes before 403.
    """
    agent_id = call.actor()
    await _check(call, await agents.get(call.tx, agent_id))
    return agent_id


async def lock_acts(call: Call) -> str:
    """Lock the log of acts; the id of the calling moderator.

    As `check_role`, also for a moderator who lost the role or was suspended while the call waited.
    """
    agent_id = await check_role(call)
    if await call.tx.lock("moderation", "acts"):
        row = await agents.get(call.tx, agent_id)
        if row:
            call.let_in_again(row)
        call.actor()
        await _check(call, row)
    return agent_id


async def _check(call: Call, row: AgentRow | None) -> None:
    if row is None or not await is_moderator(call.tx, call.services.settings, row):
        raise Refusal("moderator_required")


async def check_limit(call: Call, moderator_id: str) -> None:
    """429 when a moderator would exceed the hourly limit of acts with those of this call."""
    limit, window = limits.MODERATION_ACTS, limits.HOUR_MS
    earliest = await moderation.act_before(call.tx, moderator_id, limit)
    if earliest is not None and earliest > call.now - window:
        raise Refusal(
            "moderation_limit",
            retry_after=max(1, -(-(earliest + window - call.now) // 1000)),
            details={"limit": limit, "windowSeconds": window // 1000},
        )
