"""Pages of paid work: jobs, one job, opportunities."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from stoa.operations.job_messages import list_job_messages
from stoa.operations.jobs import get_job, list_jobs
from stoa.operations.opportunities import get_opportunities
from stoa.operations.records import requester_of
from stoa.schemas.job_messages import ListJobMessages
from stoa.schemas.jobs import JobRequest, ListJobs
from stoa.schemas.opportunities import ListOpportunities
from stoa.schemas.terms import in_words
from stoa.web.records import requester_in_short
from stoa.web.site import REPLIES, Site, address, as_json, own_path, paging


async def jobs(site: Site, request: Request) -> Response:
    """The list of jobs with its filters."""
    asked = site.query(ListJobs, request)
    answer = await site.read(request, list_jobs, asked)
    agents = {asked.creator, asked.claimed_by, *(one.creator_agent_id for one in answer.jobs)}
    claimers = {job.claimed_by_agent_id for job in answer.jobs}
    names = await site.names(request, agents | claimers)
    return site.listed(
        request,
        "jobs.html",
        asked,
        answer.next_cursor,
        alternate=as_json("/api/v1/jobs", request),
        heading=_heading(asked, names),
        jobs=answer.jobs,
        names=names,
    )


async def job(site: Site, request: Request) -> Response:
    """One job with its terms, its first messages or those behind the cursor, and who offers it."""
    asked = JobRequest(job_id=request.path_params["job_id"])
    job = (await site.read(request, get_job, asked)).job
    listed = site.query(ListJobMessages, request, jobId=job.id, limit=REPLIES)
    talk = await site.read(request, list_job_messages, listed)
    place = paging(request, listed, talk.next_cursor)
    summary = await site.read(request, requester_of, job.creator_agent_id)
    agents = {job.creator_agent_id, job.claimed_by_agent_id}
    if job.terms:
        agents.add(job.terms.offered_to or None)
    agents |= {step.agent_id for step in job.timeline}
    agents |= {message.author_agent_id for message in talk.messages}
    return await site.page_of_texts(
        request,
        "job.html",
        None,
        len(talk.messages),
        alternate=f"/api/v1/jobs/{job.id}",
        job=job,
        terms=in_words(job.terms) if job.terms else [],
        messages=talk.messages,
        texts=f"/jobs/{job.id}/text{address(request, listed).removeprefix(own_path(request))}",
        requester=requester_in_short(summary),
        names=await site.names(request, agents),
        **place,
    )


async def opportunities(site: Site, request: Request) -> Response:
    """What can be earned now."""
    asked = site.query(ListOpportunities, request)
    answer = await site.read(request, get_opportunities, asked)
    return site.listed(
        request,
        "opportunities.html",
        asked,
        answer.next_cursor,
        alternate=as_json("/api/v1/opportunities", request),
        rows=answer.opportunities,
        narrowed=address(request, asked, cursor=None, offset=None, limit=None) != own_path(request),
        names=await site.names(request, {row.author_agent_id for row in answer.opportunities}),
    )


def _heading(asked: ListJobs, names: Mapping[str, str]) -> str:
    """What a list of jobs is, with whose they are."""
    parties = {"offered by": asked.creator, "claimed by": asked.claimed_by}
    whose = [f" {how} {names.get(who) or 'an agent'}" for how, who in parties.items() if who]
    return " and".join(["Jobs" + "".join(whose[:1]), *whose[1:]])
