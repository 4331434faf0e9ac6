"""Reads tasks: one by its id, and those of the caller as a list."""

from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from stoa.a2a import rpc, tasks
from stoa.a2a.calls import Operations, TaskCall
from stoa.a2a.rpc import Params, RpcError
from stoa.calls.task_store import TaskStore
from stoa.domain import base64url, limits
from stoa.domain.ids import prefix_of
from stoa.schemas.base import encode, iso, read_time
from stoa.schemas.tasks import STATES, TaskJson
from stoa.schemas.validation import Values

_ROWS = 100
_MOST_TASKS = 1_000
"""Of each kind the newest are listed."""
_EXCERPT = 4_000
"""So many characters of each text are read to list tasks, and the whole text of those on a page."""
_DEFAULT, _MOST = 50, 100
_NO_TASK = "No task has this id."
_QUESTION = "This question has no bounty, so it is no task: read it at {url}."


class Tasks:
    """Reads tasks through the operations of the table."""

    def __init__(self, operations: Operations, store: TaskStore, origin: str) -> None:
        self._operations = operations
        self._store = store
        self.origin = origin

    async def get(self, call: TaskCall, named: str) -> TaskJson:
        """A task as it is now. Raises RpcError where there is none."""
        if prefix_of(named) == "job":
            body = await self._operations.run(call, "get_job", {}, {"jobId": named})
            return tasks.of_job(body["job"], self.origin)
        if prefix_of(named) != "th":
            raise RpcError(rpc.NOT_FOUND, _NO_TASK)
        thread, replies, rest = await self._question(call, {"threadId": named})
        task = tasks.of_thread(thread, replies, self.origin)
        if rest:
            task["metadata"]["moreAnswers"] = f"{self.page(named)}?cursor={rest}"
        return task

    async def find(self, call: TaskCall, named: str) -> TaskJson | None:
        """The same, None where there is none."""
        try:
            return await self.get(call, named)
        except RpcError as error:
            if error.code != rpc.NOT_FOUND:
                raise
            return None

    async def _question(
        self, call: TaskCall, path: Values
    ) -> tuple[TaskJson, list[TaskJson], str | None]:
        """A question with a bounty, its first replies, as far as they fit into `limits.PAGE_BYTES`,
        and the cursor of the others, without which there are none; the accepted reply is always
        among them. Raises RpcError where it has no bounty."""
        asked: Values = {"include": "replies"}
        body = await self._operations.run(call, "get_thread", asked, path)
        thread: TaskJson = body["thread"]
        if thread["bounty"] is None:
            raise RpcError(rpc.NOT_FOUND, _QUESTION.format(url=self.page(thread["id"])))
        replies: list[TaskJson] = body.get("replies", [])  # none of what waits for a moderator
        rest: str | None = body.get("nextCursor")
        while rest:
            body = await self._operations.run(call, "get_thread", {**asked, "cursor": rest}, path)
            more = [*replies, *body["replies"]]
            if len(encode(more)) > limits.PAGE_BYTES:
                break
            replies, rest = more, body.get("nextCursor")
        accepted = thread["acceptedReplyId"]
        if accepted and rest and all(one["id"] != accepted for one in replies):
            replies += await self._accepted(call, accepted)
        return thread, replies, rest

    async def _accepted(self, call: TaskCall, reply_id: str) -> list[TaskJson]:
        """An accepted reply, or none where it is hidden."""
        try:
            focus = await self._operations.run(call, "get_reply", {}, {"replyId": reply_id})
        except RpcError as error:
            if error.code != rpc.NOT_FOUND:
                raise
            return []
        return [focus["reply"]]

    def page(self, thread_id: str) -> str:
        """Where people read a question."""
        return f"{self.origin}/forum/threads/{thread_id}"

    async def listed(self, call: TaskCall, params: Params) -> TaskJson:
        """`ListTasks`: those of the caller, the last one that changed first. A page of long texts
        ends early."""
        size = min(_number(params, "pageSize", _DEFAULT, least=1), _MOST)
        begin, state, since = _begin(params), _state(params), _since(params)
        found = [
            one
            for one in await self._every(call)
            if state in (None, one["status"]["state"])
            and params.get("contextId") in (None, "", one["contextId"])
            and one["status"]["timestamp"] >= since
        ]
        found.sort(key=_place, reverse=True)
        left = [one for one in found if begin is None or _place(one) < begin]
        page, count = await self._page(call, left[:size], params), len(left)
        return {
            "tasks": page,
            "nextPageToken": _token(left[len(page) - 1]) if len(page) < count else "",
            "pageSize": size,
            "totalSize": len(found),
        }

    async def _page(self, call: TaskCall, listed: list[TaskJson], params: Params) -> list[TaskJson]:
        """These tasks as they are asked for, but no more than `limits.PAGE_BYTES` hold; one at
        least."""
        page: list[TaskJson] = []
        length = 0
        for one in listed:
            task, whole = one, bool(params.get("includeArtifacts"))
            if whole or _is_cut(with_history(one, params)):
                task = await self.get(call, one["id"])
            if not whole:
                task = {name: task[name] for name in task if name != "artifacts"}
            task = with_history(task, params)
            length += len(encode(task))
            if page and length > limits.PAGE_BYTES:
                break
            page.append(task)
        return page

    async def _every(self, call: TaskCall) -> list[TaskJson]:
        """The caller's jobs and questions with a bounty."""
        me = await self._operations.run(call, "get_me", {})
        own = me["agent"]["id"]
        made: list[TaskJson] = []
        async for jobs in self._rows(call, "list_jobs", {"creator": own}, "jobs"):
            changed = await self._store.changed([one["id"] for one in jobs])
            times = {named: iso(at) for named, at in changed.items()}
            made += [tasks.of_job(one, self.origin, times.get(one["id"], "")) for one in jobs]
        async for threads in self._rows(call, "get_recent_threads", {"author": own}, "threads"):
            made += [tasks.of_thread(one, [], self.origin) for one in threads if one["bounty"]]
        return made

    async def _rows(
        self, call: TaskCall, name: str, asked: Values, member: str
    ) -> AsyncGenerator[list[TaskJson]]:
        """The newest rows of a list, page by page."""
        left, cursor = _MOST_TASKS, None
        while left:
            page: Values = {"limit": min(left, _ROWS), "excerpt": _EXCERPT, "cursor": cursor}
            body = await self._operations.run(call, name, {**asked, **page})
            yield body[member]
            left, cursor = left - len(body[member]), body["nextCursor"]
            if cursor is None:
                return


def with_history(task: TaskJson, asked: Params) -> TaskJson:
    """A task with as many messages as are asked for. Raises RpcError."""
    length = history_length(asked)
    if length is None:
        return task
    return {**task, "history": task["history"][-length:] if length else []}


def history_length(asked: Params) -> int | None:
    """How many messages of a task are asked for, None for all. Raises RpcError."""
    return None if asked.get("historyLength") is None else _number(asked, "historyLength", 0)


def _is_cut(task: TaskJson) -> bool:
    """Whether a text among the messages of a task is not whole."""
    return any("truncated" in one["metadata"] for one in task["history"])


def _place(task: TaskJson) -> tuple[str, str]:
    """The place of a task in the list."""
    return task["status"]["timestamp"], task["id"]


def _token(last: TaskJson) -> str:
    return base64url.encode(" ".join(_place(last)).encode())


def _begin(params: Params) -> tuple[str, str] | None:
    """The place behind which a page begins, None for the first. Raises RpcError."""
    token: Any = params.get("pageToken") or ""
    try:
        at, _, named = base64url.decode(token).decode().partition(" ") if token else ("", "", "")
    except (ValueError, TypeError):
        at, named = "", ""
    if token and not (at and named):
        raise rpc.wrong("`pageToken` must be a `nextPageToken`, unchanged.")
    return (at, named) if token else None


def _state(params: Params) -> str | None:
    """The state that is asked for, None for any. Raises RpcError for what is no state of A2A."""
    state = params.get("status")
    if state in (None, "TASK_STATE_UNSPECIFIED"):
        return None
    if not (isinstance(state, str) and state in STATES):
        raise rpc.wrong(f"`status` must be one of {', '.join(sorted(STATES))}.")
    return state


def _since(params: Params) -> str:
    """The earliest time that is asked for as tasks have theirs, `""` for any. Raises RpcError."""
    after = params.get("statusTimestampAfter")
    if after is None:
        return ""
    at = read_time(after) if isinstance(after, str) else None
    if at is None:
        raise rpc.wrong("`statusTimestampAfter` must be a time such as 2026-11-27T10:00:00Z.")
    return iso(at)


def _number(params: Params, name: str, default: int, *, least: int = 0) -> int:
    """A whole number among the parameters. Raises RpcError."""
    try:
        number = msgspec.convert(params.get(name, default), int)
    except msgspec.ValidationError:
        number = -1
    if number < least:
        raise rpc.wrong(f"`{name}` must be a whole number, at least {least}.")
    return number
