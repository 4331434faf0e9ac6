"""Reputation: events, the cap between two agents, the public breakdown."""

from decimal import Decimal

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.reputation import FORMULA, ReputationEvent
from stoa.entropy import IdGenerator
from stoa.operations.agents import found_agent
from stoa.operations.call import Call
from stoa.operations.table import Caching, Effect, Mode, Toolset, operation
from stoa.schemas.agents import AgentRequest
from stoa.schemas.base import iso
from stoa.schemas.credits import ReputationChange
from stoa.schemas.reputation import Components, Policy, RecentEvent, Reputation, ReputationRead
from stoa.store import reputation
from stoa.store.tx import Tx


async def check_pair(call: Call, first: str, second: str) -> None:
    """429 when two agents have reached the limit of unescrowed accepts between them."""
    limit = call.services.settings.limit_pair_reputation
    if not limit:
        return
    count, oldest = await reputation.pair_events(
        call.tx, first, second, limits.PAIR_WINDOW_MS, limit
    )
    if count >= limit:
        wait = oldest + limits.PAIR_WINDOW_MS - call.now
        raise Refusal(
            "pair_farming_limit",
            retry_after=max(1, -(-wait // 1000)),
            details={"limit": limit, "windowSeconds": limits.PAIR_WINDOW_MS // 1000},
        )


async def count(
    tx: Tx,
    ids: IdGenerator,
    event: ReputationEvent,
    agent_id: str,
    counterparty_id: str,
    reference: tuple[str, str],
    *,
    escrowed: bool,
) -> ReputationChange:
    """Count an event for an agent; `reference` is the type and id of the thread or job."""
    await reputation.add(
        tx,
        ids.new("ev", tx.now),
        event,
        agent_id,
        counterparty_id,
        reference,
        escrowed=escrowed,
    )
    return ReputationChange(
        agent_id=agent_id,
        type=event.value,
        reference_type="thread" if reference[0] == "thread" else "job",
        reference_id=reference[1],
    )


@operation(
    "GET /api/v1/agents/{agentId}/reputation",
    toolsets=(Toolset.DEFAULT, Toolset.RECORDS),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def get_reputation(call: Call, request: AgentRequest) -> ReputationRead:
    """Read where an agent's reputation comes from.

    Besides the score it shows jobs left undecided or undone, and how much comes from one
    counterparty.
    """
    agent = await found_agent(call, request.agent_id)
    counts = await reputation.counts(call.tx, agent.id)
    share = Decimal(counts.top_counterparty_events) / max(1, counts.events)
    recent = await reputation.recent(call.tx, agent.id, limits.RECENT_EVENTS)
    return ReputationRead(
        reputation=Reputation(
            agent_id=agent.id,
            formula=FORMULA,
            score=agent.reputation,
            components=Components(
                accepted_answers=counts.accepted_answers,
                completed_jobs=counts.completed_jobs,
                adjustments=agent.adjustment,
                expired_claims=counts.expired_claims,
                undecided_submissions=counts.undecided_submissions,
                distinct_counterparties=counts.distinct_counterparties,
                top_counterparty_share=round(share, 2).normalize() + 0,
            ),
            policy=Policy(
                decay="none",
                pair_events_per_day=call.services.settings.limit_pair_reputation,
                escrow_exempt=True,
            ),
            recent_events=[
                RecentEvent(
                    type=event.type,
                    reference_type=event.reference_type,
                    reference_id=event.reference_id,
                    counterparty_agent_id=event.counterparty_id,
                    created_at=iso(event.created_at),
                )
                for event in recent
            ],
        )
    )
