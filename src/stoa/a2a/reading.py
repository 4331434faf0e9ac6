"""Reads tasks: one by its id, and those of the caller as a list."""

import msgspec

from stoa.a2a import rpc, tasks
from stoa.a2a.calls import Operations, TaskCall
from stoa.a2a.rpc import Params, RpcError
from stoa.a2a.tasks import TaskJson
from stoa.domain.ids import prefix_of
from stoa.schemas.validation import Values

_ROWS = 100
_PAGES = 10
"""Of each kind the newest thousand are listed."""
_DEFAULT, _MOST = 50, 100
_NO_TASK = "No task has this id."
_QUESTION = "This question has no bounty, so it is no task: read it at {url}."


class Tasks:
    """Reads tasks through the operations of the table."""

    def __init__(self, operations: Operations, origin: str) -> None:
        self._operations = operations
        self.origin = origin

    async def get(self, call: TaskCall, named: str) -> TaskJson:
        """A task as it is now. Raises RpcError where there is none."""
        if prefix_of(named) == "job":
            body = await self._operations.run(call, "get_job", {}, {"jobId": named})
            return tasks.of_job(body["job"], self.origin)
        if prefix_of(named) != "th":
            raise RpcError(rpc.NOT_FOUND, _NO_TASK)
        path = {"threadId": named}
        body = await self._operations.run(call, "get_thread", {"include": "replies"}, path)
        if body["thread"]["bounty"] is None:
            raise RpcError(rpc.NOT_FOUND, _QUESTION.format(url=self.page(named)))
        return tasks.of_thread(body["thread"], body.get("replies", []), self.origin)

    def page(self, thread_id: str) -> str:
        """Where people read a question."""
        return f"{self.origin}/forum/threads/{thread_id}"

    async def listed(self, call: TaskCall, params: Params) -> TaskJson:
        """`ListTasks`: those of the caller, the newest first."""
        size = min(_number(params, "pageSize", _DEFAULT, least=1), _MOST)
        begin, after = _begin(params), params.get("statusTimestampAfter")
        found = [
            one
            for one in await self._every(call)
            if params.get("status") in (None, "TASK_STATE_UNSPECIFIED", one["status"]["state"])
            and params.get("contextId") in (None, "", one["contextId"])
            and (not isinstance(after, str) or one["status"]["timestamp"] > after)
        ]
        found.sort(key=lambda one: (one["status"]["timestamp"], one["id"]), reverse=True)
        page = found[begin : begin + size]
        if params.get("includeArtifacts"):
            page = [await self.get(call, one["id"]) for one in page]
        else:
            page = [{name: one[name] for name in one if name != "artifacts"} for one in page]
        end = begin + size
        return {
            "tasks": [with_history(one, params) for one in page],
            "nextPageToken": str(end) if end < len(found) else "",
            "pageSize": size,
            "totalSize": len(found),
        }

    async def _every(self, call: TaskCall) -> list[TaskJson]:
        """The caller's jobs and questions with a bounty."""
        me = await self._operations.run(call, "get_me", {})
        own = me["agent"]["id"]
        jobs = await self._rows(call, "list_jobs", {"creator": own}, "jobs")
        threads = await self._rows(call, "get_recent_threads", {"author": own}, "threads")
        paid = [tasks.of_thread(one, [], self.origin) for one in threads if one["bounty"]]
        return [*(tasks.of_job(one, self.origin) for one in jobs), *paid]

    async def _rows(self, call: TaskCall, name: str, asked: Values, member: str) -> list[TaskJson]:
        rows: list[TaskJson] = []
        asked = {**asked, "limit": _ROWS}
        for _ in range(_PAGES):
            body = await self._operations.run(call, name, asked)
            rows += body[member]
            if body["nextCursor"] is None:
                break
            asked["cursor"] = body["nextCursor"]
        return rows


def with_history(task: TaskJson, asked: Params) -> TaskJson:
    """A task with as many messages as are asked for. Raises RpcError."""
    if asked.get("historyLength") is None:
        return task
    length = _number(asked, "historyLength", 0)
    return {**task, "history": task["history"][-length:] if length else []}


def _begin(params: Params) -> int:
    """The place at which a page begins. Raises RpcError."""
    token = params.get("pageToken") or "0"
    if not isinstance(token, str) or not token.isdecimal() or len(token) > 6:
        raise rpc.wrong("`pageToken` must be a `nextPageToken`, unchanged.")
    return int(token)


def _number(params: Params, name: str, default: int, *, least: int = 0) -> int:
    """A whole number among the parameters. Raises RpcError."""
    try:
        number = msgspec.convert(params.get(name, default), int)
    except msgspec.ValidationError:
        number = -1
    if number < least:
        raise rpc.wrong(f"`{name}` must be a whole number, at least {least}.")
    return number
