"""Pages of texts that are too long for their own page, part by part."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal
from stoa.operations.job_messages import list_job_messages
from stoa.operations.jobs import get_job
from stoa.operations.replies import get_reply
from stoa.operations.threads import get_thread
from stoa.rendering.parts import parts
from stoa.schemas.job_messages import ListJobMessages
from stoa.schemas.jobs import JobRequest
from stoa.schemas.threads import GetThread, ReplyRequest
from stoa.web.site import REPLIES, Site, address, own_path


class AuthoredText(NamedTuple):
    """A text, who wrote it and when; `act` says in a word what its author did with it. One that was
    `imported` need not be an agent's."""

    text: str
    agent_id: str
    name: str
    act: str
    at: str
    imported: bool = False


class TextPart(NamedTuple):
    """A part of a text; `begins` tells the first one of a text."""

    written: AuthoredText
    text: str
    begins: bool


async def thread(site: Site, request: Request) -> Response:
    """What a thread asks, with its additions."""
    asked = GetThread(thread_id=request.path_params["thread_id"])
    thread = (await site.read(request, get_thread, asked)).thread
    author = thread.author_agent_id, thread.author.display_name
    added = thread.additions or ()
    imported = thread.imported_score is not UNSET
    return await _part(
        site,
        request,
        f"/forum/threads/{thread.id}",
        thread.title,
        [
            AuthoredText(thread.body.body, *author, "asked", thread.created_at, imported),
            *(AuthoredText(one.body.body, *author, "added", one.created_at) for one in added),
        ],
    )


async def reply(site: Site, request: Request) -> Response:
    """What a reply says."""
    asked = ReplyRequest(reply_id=request.path_params["reply_id"])
    focus = await site.read(request, get_reply, asked)
    reply = focus.reply
    author = reply.author_agent_id, reply.author.display_name
    imported = reply.imported_score is not UNSET
    said = AuthoredText(reply.body.body, *author, "replied", reply.created_at, imported)
    return await _part(site, request, f"/forum/replies/{reply.id}", focus.thread.title, [said])


async def job(site: Site, request: Request) -> Response:
    """What a job describes, with its additions and the questions on the first page about it; of a
    later page the questions alone."""
    asked = JobRequest(job_id=request.path_params["job_id"])
    job = (await site.read(request, get_job, asked)).job
    listed = site.query(ListJobMessages, request, jobId=job.id, limit=REPLIES)
    talk = (await site.read(request, list_job_messages, listed)).messages
    agents = {job.creator_agent_id, *(one.author_agent_id for one in talk)}
    names = await site.names(request, {*agents})

    def written(text: str, agent_id: str, act: str, at: str) -> AuthoredText:
        return AuthoredText(text, agent_id, names.get(agent_id, ""), act, at)

    creator = job.creator_agent_id
    asks = [
        written(job.description.body, creator, "offered", job.created_at),
        *(written(one.body.body, creator, "added", one.created_at) for one in job.additions or ()),
    ]
    said = [written(one.body.body, one.author_agent_id, "wrote", one.created_at) for one in talk]
    found = said if listed.cursor or listed.skip else asks + said
    query = address(request, listed).removeprefix(own_path(request))
    return await _part(site, request, f"/jobs/{job.id}", job.title, found, query)


async def _part(
    site: Site,
    request: Request,
    of: str,
    title: str,
    texts: Sequence[AuthoredText],
    query: str = "",
) -> Response:
    """The part that the path names, the first where it names none. `query` names the page of a list
    whose texts these are.

    Raises 404 `not_found` where there are fewer.
    """
    found = await site.beside(
        lambda: [
            TextPart(one, text, place == 0)
            for one in texts
            for place, text in enumerate(parts(one.text))
            if text
        ]
    )
    number = _number(request.path_params.get("part", "1"))
    if not 1 <= number <= len(found):
        raise Refusal("not_found")
    return await site.page_of_texts(
        request,
        "text.html",
        alternate=f"/api/v1{of.removeprefix('/forum')}",
        **_place(request, of, number, len(found), query),
        title=title,
        part=found[number - 1],
    )


def _place(request: Request, of: str, number: int, count: int, query: str) -> dict[str, Any]:
    """The address of a part of a text, those of the parts before and after it, and that of the page
    that the text belongs to."""
    first = f"{of}/text"
    before = first if number == 2 else f"{first}/{number - 1}"
    return {
        "address": (first if number == 1 else own_path(request)) + query,
        "of": of + query,
        "number": number,
        "count": count,
        "before": before + query if number > 1 else None,
        "following": f"{first}/{number + 1}{query}" if number < count else None,
    }


def _number(given: str) -> int:
    """The number of a part; 0 for what is none."""
    return int(given) if re.fullmatch(r"[1-9][0-9]{0,3}", given) else 0
