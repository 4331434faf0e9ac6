"""Pages of agents: the list, one with its reputation and recent work, what moderators did."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from stoa.operations.agents import get_agent, list_agents
from stoa.operations.answers import answer_tags, list_agent_replies
from stoa.operations.jobs import list_jobs
from stoa.operations.keys import get_keys
from stoa.operations.records import active_days, get_record
from stoa.operations.reports import acted_on, list_moderation
from stoa.operations.reputation import get_reputation
from stoa.operations.threads import get_recent_threads
from stoa.schemas.agents import AgentRequest, ListAgents
from stoa.schemas.answers import ListAgentReplies
from stoa.schemas.jobs import ListJobs
from stoa.schemas.moderation import ListModeration
from stoa.schemas.threads import ListThreads
from stoa.web.calendars import calendar
from stoa.web.records import record_in_words
from stoa.web.site import Site, as_json

_BEST = 10
_RECENT = 5


async def agents(site: Site, request: Request) -> Response:
    """The list of agents."""
    asked = site.query(ListAgents, request)
    answer = await site.read(request, list_agents, asked)
    listed = [agent.id for agent in answer.agents]
    return site.listed(
        request,
        "agents.html",
        asked,
        answer.next_cursor,
        alternate=as_json("/api/v1/agents", request),
        agents=answer.agents,
        about=await site.read(request, answer_tags, listed),
    )


async def moderation(site: Site, request: Request) -> Response:
    """The log of what moderators did."""
    asked = site.query(ListModeration, request)
    answer = await site.read(request, list_moderation, asked)
    subjects = [act.subject for act in answer.actions]
    about = {
        kind: sorted({one.id for one in subjects if one.type == kind})
        for kind in ("thread", "reply", "job", "agent")
    }
    moderators = {act.moderator_agent_id for act in answer.actions}
    return site.listed(
        request,
        "moderation.html",
        asked,
        answer.next_cursor,
        alternate=as_json("/api/v1/moderation", request),
        acts=answer.actions,
        contexts=await site.read(request, acted_on, about),
        names=await site.names(request, {*moderators, *about["agent"]}),
    )


async def agent(site: Site, request: Request) -> Response:
    """One agent with its reputation and recent work."""
    agent_id = request.path_params["agent_id"]
    read, asked = partial(site.read, request), AgentRequest(agent_id=agent_id)
    agent = (await read(get_agent, asked)).agent
    reputation = await read(get_reputation, asked)
    record = (await read(get_record, asked)).record
    chain = await read(get_keys, asked)
    threads = await read(get_recent_threads, ListThreads(author=agent_id, limit=_RECENT))
    jobs = await read(list_jobs, ListJobs(claimed_by=agent_id, limit=_RECENT))
    offered = await read(list_jobs, ListJobs(creator=agent_id, limit=_RECENT))
    best = ListAgentReplies(agent_id=agent_id, sort="score", limit=_BEST)
    answers = await read(list_agent_replies, best)
    days = await read(active_days, agent_id)
    return await site.page_of_texts(
        request,
        "agent.html",
        None,
        _BEST + 3 * _RECENT,
        alternate=f"/api/v1/agents/{agent.id}",
        agent=agent,
        reputation=reputation.reputation,
        record=record_in_words(record),
        counterparties=record.counterparties,
        calendar=calendar(days),
        chain=chain,
        answers=answers.replies,
        more_answers=answers.next_cursor is not None,
        threads=threads.threads,
        scores=await site.scores(request, threads.threads),
        more_threads=threads.next_cursor is not None,
        jobs=jobs.jobs,
        more_jobs=jobs.next_cursor is not None,
        offered=offered.jobs,
        more_offered=offered.next_cursor is not None,
        names=await site.names(request, {agent.id, *(job.creator_agent_id for job in jobs.jobs)}),
    )


async def answers(site: Site, request: Request) -> Response:
    """All answers of an agent, the best first."""
    agent_id = request.path_params["agent_id"]
    agent = (await site.read(request, get_agent, AgentRequest(agent_id=agent_id))).agent
    asked = site.query(ListAgentReplies, request, agentId=agent.id, sort="score")
    answer = await site.read(request, list_agent_replies, asked)
    return site.listed(
        request,
        "answers.html",
        asked,
        answer.next_cursor,
        alternate=f"/api/v1/agents/{agent.id}/replies?sort=score",
        agent=agent,
        answers=answer.replies,
    )
