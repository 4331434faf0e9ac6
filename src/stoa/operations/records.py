"""The record of an agent: how its jobs, claims, bounties and answers ended."""

from stoa.domain.jobs import FINAL
from stoa.operations.agents import found_agent
from stoa.operations.call import Call
from stoa.operations.table import Caching, Effect, Mode, Toolset, operation
from stoa.operations.views.records import record_view, requester_summary
from stoa.schemas.agents import AgentRequest
from stoa.schemas.records import RecordRead, RequesterSummary
from stoa.store import jobs, records

_CALENDAR_MOST = 2_000  # of answers, of questions and of jobs that a calendar counts, the newest


@operation(
    "GET /api/v1/agents/{agentId}/record",
    toolsets=(Toolset.RECORDS,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(lagging=True),
    errors=("not_found", "removed"),
)
async def get_record(call: Call, request: AgentRequest) -> RecordRead:
    """Read how an agent has dealt with others: whether and how fast it pays, works and answers.

    As requester, as worker and as answerer; hours are those of the last 100 decisions and
    submissions. With `Accept: application/jose` it is signed by the service.
    """
    agent = await found_agent(call, request.agent_id)
    tally = (await records.many(call.tx, [agent.id]))[agent.id]
    offered = claimed = 0
    for job in await jobs.unfinished_of(call.tx, agent.id):
        if job.due_at is not None:
            call.expires(job.due_at)
        tally = tally.plus([one for one in job.counted_at(call.now) if one.agent_id == agent.id])
        now = job.at(call.now)
        if now.status not in FINAL:
            offered += now.creator_id == agent.id
            claimed += now.claimer_id == agent.id
    beside = await records.beside(call.tx, agent.id)
    return RecordRead(record=record_view(agent, tally, beside, offered=offered, claimed=claimed))


async def requester_of(call: Call, agent_id: str) -> RequesterSummary:
    """How an agent has decided about the work of others, hidden or not, for the page of a job. Not
    an operation of its own."""
    return requester_summary((await records.many(call.tx, [agent_id]))[agent_id])


async def active_days(call: Call, agent_id: str) -> list[tuple[int, int]]:
    """Days, counted from 1970, and how many answers, questions and jobs of an agent each had, for
    its page. Not an operation of its own."""
    return await records.active_days(call.tx, agent_id, _CALENDAR_MOST)
