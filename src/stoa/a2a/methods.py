"""The methods of A2A: send, read, list, cancel and follow tasks."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

from stoa.a2a import messages, rpc, tasks
from stoa.a2a.calls import Operations, TaskCall
from stoa.a2a.messages import AskedOperation
from stoa.a2a.pushes import Pushes
from stoa.a2a.reading import Tasks, history_length, with_history
from stoa.a2a.rpc import Params, RpcError
from stoa.calls.task_store import TaskStore
from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.ids import prefix_of
from stoa.schemas.tasks import (
    STOPPED,
    TERMINAL,
    TaskJson,
    from_service,
    status_update,
    text,
    told_of_held,
)

_ROUND_S = 15
"""After so long a task is read again, even if nobody else did anything to it."""
_ENDED = "The task has ended: read it with GetTask."
_SAID_TO = {"create_job_message": "jobId", "reply_to_thread": "threadId"}
"""The operations that a text to a task asks for, with the field that names it."""
_SHORT = "receiptId"
"""The member by which the short answer is known, where no more is stored of an earlier one."""
_NO_CANCEL = (
    "A question with a bounty ends with an accepted answer or when its time is over; "
    "`withdraw_bounty` (POST /api/v1/threads/{id}/bounty/withdraw) may take the bounty back."
)

_UNPAID = "No bounty was open, so none was paid."
_PUSH = "configuration.taskPushNotificationConfig"
_PUSH_LATER = "`CreateTaskPushNotificationConfig` sets one for a task that is there."

Updates = AsyncGenerator[TaskJson | None]
"""What is streamed, and None where nothing came for a while."""


class Methods:
    """The methods over the operations of the table. `origin` is where this service says that it
    is."""

    def __init__(self, operations: Operations, store: TaskStore, origin: str) -> None:
        self._operations = operations
        self._tasks = Tasks(operations, store, origin)
        self._origin = origin
        self.listed = self._tasks.listed
        self.pushes = Pushes(store, self._tasks)

    async def send(self, call: TaskCall, params: Params) -> TaskJson:
        """`SendMessage`: the task, or a message. Unless the client asks otherwise, it waits until
        there is something for the client to do, for at most `limits.TASK_WAIT_MS`."""
        answer, cursor = await self._begun(call, params)
        if "task" not in answer or _configuration(params).get("returnImmediately"):
            return answer
        task = answer["task"]
        if task["status"]["state"] not in STOPPED:
            seconds = limits.TASK_WAIT_MS / limits.SECOND_MS
            async for changed in self._changes(call, task["id"], cursor, seconds):
                task = changed
                if task["status"]["state"] in STOPPED:
                    break
        return {"task": with_history(task, _configuration(params))}

    async def send_streaming(self, call: TaskCall, params: Params) -> Updates:
        """`SendStreamingMessage`: the same, and then each change until it is the client's turn."""
        answer, cursor = await self._begun(call, params)
        yield answer
        if "task" in answer:
            async for update in self._updates(call, answer["task"], cursor, STOPPED):
                yield update

    async def subscribe(self, call: TaskCall, params: Params) -> Updates:
        """`SubscribeToTask`: the task, and then each change until its end."""
        named = _named(params)
        await self._tasks.get(call, named)  # a task that is not there is told to everyone
        cursor = await self._now(call)
        task = await self._tasks.get(call, named)
        if task["status"]["state"] in TERMINAL:
            raise RpcError(rpc.UNSUPPORTED, _ENDED)
        yield {"task": task}
        async for update in self._updates(call, task, cursor, TERMINAL):
            yield update

    async def get(self, call: TaskCall, params: Params) -> TaskJson:
        """`GetTask`."""
        return with_history(await self._tasks.get(call, _named(params)), params)

    async def cancel(self, call: TaskCall, params: Params) -> TaskJson:
        """`CancelTask`: a job that nobody has claimed."""
        named = _named(params)
        if prefix_of(named) != "job":
            await self._tasks.get(call, named)
            raise RpcError(rpc.NOT_CANCELABLE, _NO_CANCEL.replace("{id}", named))
        path, conflict = {"jobId": named}, rpc.NOT_CANCELABLE
        body = await self._operations.run(call, "cancel_job", {}, path, conflict=conflict)
        return tasks.of_job(body["job"], self._origin)

    async def _begun(self, call: TaskCall, params: Params) -> tuple[TaskJson, str]:
        """What a message was answered with at once, and the place in the inbox before it."""
        message = params.get("message")
        if not isinstance(message, dict):
            raise rpc.wrong("`message` must be an object.")
        push = _push(params)
        if push is not None:
            self.pushes.check(push)
        history_length(_configuration(params))  # what is wrong is said before anything is done
        asked = messages.wanted(cast("Params", message))
        if asked.operation in _SAID_TO:
            await self._refuse_ended(call, asked.in_path[_SAID_TO[asked.operation]])
        cursor = await self._now(call) if asked.may_be_task else ""
        body = await self._operations.run(
            call,
            asked.operation,
            asked.values,
            asked.in_path,
            key=asked.message_id,
            place=asked.place,
        )
        task = await self._made(call, asked, body)
        if task is None:
            if push is not None:
                _warn(body, "Not used: the answer is no task.")
            return {"message": self._told(asked, body)}, cursor
        if push is not None:
            try:
                await self.pushes.put(call, task["id"], push)
            except Refusal as refusal:  # the task is there all the same
                _warn(body, f"Not set: {refusal.message}")
        if "warnings" in body:
            task["metadata"]["warnings"] = body["warnings"]
        return {"task": with_history(task, _configuration(params))}, cursor

    async def _refuse_ended(self, call: TaskCall, named: str) -> None:
        """Raise RpcError if this is a task that is over, which takes no message."""
        # A question without a bounty is no task; the write says what does not exist.
        task = await self._tasks.find(call, named)
        if task and task["status"]["state"] in TERMINAL:
            raise RpcError(rpc.UNSUPPORTED, _ENDED)

    async def _made(self, call: TaskCall, asked: AskedOperation, body: TaskJson) -> TaskJson | None:
        """The task in the answer of a write; None where that is about what was said, or about a
        question whose bounty it neither offers nor pays."""
        if "job" in body:
            return tasks.of_job(body["job"], self._origin)
        if _SHORT in body and asked.may_be_task:
            return await self._tasks.find(call, body["id"])
        thread = body.get("thread", {})
        bounty = thread.get("bounty")
        if not bounty or (asked.operation == "accept_reply" and bounty["status"] != "PAID"):
            return None
        if thread["replyCount"]:
            return await self._tasks.get(call, thread["id"])
        return tasks.of_thread(thread, [], self._origin)

    def _told(self, asked: AskedOperation, body: TaskJson) -> TaskJson:
        """The message about a write that makes no task."""
        own = body[_SHORT] if _SHORT in body else body["receipt"]["id"]
        held = body.get("thread", body.get("reply", {})).get("held")
        if _SHORT in body:
            thread = next(iter(asked.in_path.values()), body["id"])
            said = f"This message was carried out before: what came of it is {body['id']}."
            data = {"id": body["id"]}
        elif asked.operation == "create_thread":
            thread = body["thread"]["id"]
            url = self._tasks.page(thread)
            said = f"Your question is {thread}. Answers come at {url}."
            data = {"threadId": thread, "url": url, "similar": body.get("similar", [])}
        elif asked.operation == "reply_to_thread":
            thread, reply = body["reply"]["threadId"], body["reply"]["id"]
            said = f"Your text is reply {reply} in {thread}."
            data = {"threadId": thread, "replyId": reply}
        elif asked.operation == "accept_reply":
            thread, reply = body["thread"]["id"], body["thread"]["acceptedReplyId"]
            said = f"Reply {reply} is the accepted answer in {thread}. {_UNPAID}"
            data = {"threadId": thread, "replyId": reply}
        else:
            thread, message = asked.in_path["jobId"], body["message"]
            readers = "everyone" if message["to"] == "everyone" else "its two parties alone"
            said = f"Your message stands with the job, for {readers} to read."
            data = {"jobId": thread, "messageId": message["id"], "to": message["to"]}
        if held:
            said, data["held"] = f"{said} {told_of_held(held['until'])}", held
        if "warnings" in body:
            data["warnings"] = body["warnings"]
        part = {"data": data, "mediaType": "application/json"}
        return from_service(own, thread, text(said), part)

    async def _now(self, call: TaskCall) -> str:
        """The place in the caller's inbox from which on a task is followed."""
        body = await self._operations.run(call, "get_inbox", {"cursor": "now"})
        return body["nextCursor"]

    async def _changes(
        self, call: TaskCall, named: str, cursor: str, seconds: float | None
    ) -> AsyncGenerator[TaskJson]:
        """The task each time that something happened to its client, and once in a while; at most
        for so many seconds. It ends where another waiting call of the agent takes its place."""
        now = asyncio.get_running_loop().time
        end = None if seconds is None else now() + seconds
        while end is None or now() < end:
            begun = now()
            wait = _ROUND_S if end is None else max(1, min(_ROUND_S, round(end - begun)))
            asked = {"cursor": cursor, "wait": wait}
            body = await self._operations.run(call, "get_inbox", asked)
            cursor = body["nextCursor"]
            yield await self._tasks.get(call, named)
            if not body["events"] and now() - begun < wait / 2:
                return

    async def _updates(
        self, call: TaskCall, task: TaskJson, cursor: str, ends: frozenset[str]
    ) -> Updates:
        """What changes in a task, until it has one of the states that end it; None where nothing
        did for a while."""
        state, known = task["status"], {one["artifactId"] for one in task["artifacts"]}
        about = {"taskId": task["id"], "contextId": task["contextId"]}
        if state["state"] in ends:
            return
        async for changed in self._changes(call, task["id"], cursor, None):
            for one in changed["artifacts"]:
                if one["artifactId"] not in known:
                    known.add(one["artifactId"])
                    yield {"artifactUpdate": {**about, "artifact": one, "lastChunk": True}}
            if changed["status"] != state:
                state = changed["status"]
                yield status_update(task["id"], state)
            else:
                yield None
            if state["state"] in ends:
                return


def _warn(body: TaskJson, why: str) -> None:
    """Add to an answer why no push configuration was set with it."""
    warning = {"path": _PUSH, "message": f"{why} {_PUSH_LATER}"}
    body["warnings"] = [*body.get("warnings", ()), warning]


def _configuration(params: Params) -> Params:
    given = params.get("configuration")
    return cast("Params", given) if isinstance(given, dict) else {}


def _push(params: Params) -> Params | None:
    """Where the state of the task is to be sent, None if nowhere. Raises RpcError."""
    given: Any = _configuration(params).get("taskPushNotificationConfig")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise rpc.wrong(f"`{_PUSH}` must be an object.")
    return cast("Params", given)


def _named(params: Params) -> str:
    named: Any = params.get("id")
    if not isinstance(named, str) or not named:
        raise rpc.wrong("`id` must be the id of a task.")
    return named
