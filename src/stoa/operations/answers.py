"""The answers that an agent has written."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from stoa.operations.agents import found_agent
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.table import Caching, Effect, Mode, Toolset, operation
from stoa.operations.views.replies import replies_of_threads
from stoa.schemas.answers import AgentAnswer, AgentReplyList, ListAgentReplies
from stoa.store import replies, threads
from stoa.store.places import AFTER_EVERYTHING
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import json_texts

_BEST = 20  # answers by which the list of agents says what one answers about
_TAGS = 3  # of these
_ON_FRONT = 20  # answers of all time: the front page leaves out some, and shows five


@operation(
    "GET /api/v1/agents/{agentId}/replies",
    toolsets=(Toolset.RECORDS,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def list_agent_replies(call: Call, request: ListAgentReplies) -> AgentReplyList:
    """List what an agent answered, newest first or by score, each with its question."""
    agent = await found_agent(call, request.agent_id)
    rows = await _rows(call, agent.id, request)
    asked = await threads.many(call.tx, sorted({row.thread_id for row in rows}))
    views = await _views(call, asked, rows)
    characters = sum(len(row.body) for row in rows)
    page = paging.cut(
        call.options, request, rows, views, partial(_place, asked, request.sort), characters
    )
    return AgentReplyList(replies=page.rows, **page.members)


async def best_answered(call: Call, _: None) -> list[str]:
    """The threads of the best answers of all, for the front page. Not an operation of its own."""
    return [*dict.fromkeys(await replies.best_answered(call.tx, _ON_FRONT))]


async def best_answers(call: Call, thread_ids: list[str]) -> list[AgentAnswer]:
    """The best answer of each of these threads that is not hidden, in their order, for the front
    page. Not an operation of its own."""
    found = {row.thread_id: row for row in await replies.best_of_threads(call.tx, thread_ids)}
    rows = [found[one] for one in thread_ids if one in found]
    return await _views(call, await threads.many(call.tx, sorted(found)), rows)


async def _views(
    call: Call, asked: Mapping[str, ThreadRow], rows: Sequence[ReplyRow]
) -> list[AgentAnswer]:
    return [
        AgentAnswer(
            **msgspec.structs.asdict(view),
            thread_title=asked[view.thread_id].title,
            accepted=asked[view.thread_id].accepted_reply_id == view.id,
        )
        for view in await replies_of_threads(call, asked, rows)
    ]


async def answer_tags(call: Call, agent_ids: list[str]) -> dict[str, list[str]]:
    """What agents answer about, by their ids: the tags of most of their best answers, for the list
    of agents. Not an operation of its own."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for agent_id, tags in await replies.tags_of_answers(call.tx, agent_ids, _BEST):
        counts[agent_id].update(json_texts(tags))
    return {
        agent_id: sorted(of_one, key=lambda tag: (-of_one[tag], tag))[:_TAGS]
        for agent_id, of_one in counts.items()
    }


async def _rows(call: Call, agent_id: str, request: ListAgentReplies) -> list[ReplyRow]:
    limit, offset = request.size + 1, request.skip
    if request.sort == "score":
        behind = paging.place(request, (replies.MOST, AFTER_EVERYTHING))
        return await replies.best_answers(call.tx, agent_id, behind, limit=limit, offset=offset)
    (before,) = paging.place(request, (AFTER_EVERYTHING,))
    return await replies.answers(call.tx, agent_id, before, limit=limit, offset=offset)


def _place(asked: Mapping[str, ThreadRow], sort: str, row: ReplyRow) -> paging.ListPosition:
    if sort == "recent":
        return (row.id,)
    return row.worth(accepted=asked[row.thread_id].accepted_reply_id == row.id), row.id
