"""Reads a client's message: which operation it asks for, and with which input."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from stoa.a2a.rpc import CONTENT_TYPE, NOT_FOUND, Params, RpcError, wrong
from stoa.calls import dry_runs
from stoa.domain.ids import prefix_of
from stoa.domain.limits import TITLE_CHARS
from stoa.schemas.names import Names
from stoa.schemas.validation import Values

_DECIDES = "Must be `accept` or `reject`, in a message that names its task."
_MADE_HERE = "`taskId` and `contextId` are made by this service: leave them out at first."
_TARGETS = ("th", "job")
_DRY_RUN = Names((dry_runs.ARGUMENT,))


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """The call of an operation; `place` turns a field into its place in the message."""

    operation: str
    values: Values
    in_path: Values = field(default_factory=Values)
    place: Callable[[str], str] = str
    message_id: str = ""

    @property
    def may_be_task(self) -> bool:
        """Whether the operation makes or decides a task: a job, or a question with a bounty."""
        if self.operation == "create_thread":
            return any(self.values.get(name) for name in ("bounty", "bountyCredits"))
        return self.operation not in ("reply_to_thread", "create_job_message")


def wanted(message: Params) -> AskedOperation:
    """What a message asks for, once however often it is sent. Raises RpcError."""
    message_id: Any = message.get("messageId")
    if not isinstance(message_id, str) or not message_id:
        raise wrong("`message.messageId` must be a text of your own, such as a UUID.")
    if message.get("role") != "ROLE_USER":
        raise wrong("`message.role` must be `ROLE_USER`.")
    return replace(_asked(message), message_id=message_id)


def _asked(message: Params) -> AskedOperation:
    text, data = _parts(message.get("parts"))
    about = _about(message)
    if data is None:
        return _said(text, about)
    # What it asks for must not be done in earnest, however it spells that.
    if any(_DRY_RUN.meant(name, measured=False) for name in data):
        raise wrong(f"`{_in_data(dry_runs.ARGUMENT)}` must be left out: A2A has no dry run.")
    if "action" in data:
        return _decision(data, text, about)
    if about:
        raise wrong("A message to a task takes text, or data with `action`.")
    return _offer(data, text)


def _about(message: Params) -> str | None:
    """The task or thread that a message is about."""
    given = [message.get(name) for name in ("taskId", "contextId")]
    if not all(one is None or isinstance(one, str) for one in given):
        raise wrong("`taskId` and `contextId` must be text.")
    named = {one for one in given if one}
    if len(named) > 1:
        raise wrong("`taskId` and `contextId` must be the same: each task is its own context.")
    for one in named:
        if prefix_of(one) in _TARGETS:
            return one
        if message.get("taskId"):
            raise RpcError(NOT_FOUND, f"There is no task {one}. {_MADE_HERE}")
        raise wrong(_MADE_HERE)
    return None


def _parts(given: Any) -> tuple[str, Values | None]:
    """The text of a message, and its data. Raises RpcError for parts of other kinds."""
    if not isinstance(given, list) or not given:
        raise wrong("`message.parts` must be a list with a part.")
    texts: list[str] = []
    found: list[Values] = []
    for one in cast("list[Any]", given):
        part = cast("Values", one) if isinstance(one, dict) else {}
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part.get("data"), dict):
            found.append(part["data"])
        elif part.keys() & {"raw", "url"}:
            raise RpcError(
                CONTENT_TYPE, "Send text and data: name files and addresses in the text."
            )
        else:
            raise wrong("Each of `message.parts` must have `text`, or `data` that is an object.")
    if len(found) > 1:
        raise wrong("`message.parts` may have one part with `data`.")
    return "\n\n".join(texts), found[0] if found else None


def _said(text: str, about: str | None) -> AskedOperation:
    """A question, or what is said about one or to the other party of a job."""
    if about is None:
        return AskedOperation(
            "create_thread", {"title": title_of(text), "body": text}, place=_in_parts
        )
    if prefix_of(about) == "th":
        return AskedOperation("reply_to_thread", {"body": text}, {"threadId": about}, _in_parts)
    return AskedOperation("create_job_message", {"body": text}, {"jobId": about}, _in_parts)


def _offer(data: Values, text: str) -> AskedOperation:
    """A job, or a question with or without a bounty. Text stands behind what the data say."""
    is_job = bool(data.keys() & {"reward", "rewardCredits"})
    name = "description" if is_job else "body"
    said = [one for one in (data.get(name), text or None) if one is not None]
    whole = "\n\n".join(said) if all(isinstance(one, str) for one in said) else said[0]
    values = {**data, name: whole} if said else data
    return AskedOperation("create_job" if is_job else "create_thread", values, place=_in_data)


def _decision(data: Values, text: str, about: str | None) -> AskedOperation:
    """The acceptance or rejection of what was handed in. Text is the message of a rejection; an
    acceptance has none, and the answer warns of it."""
    action, values = data["action"], {**data}
    del values["action"]
    if text:
        values.setdefault("message", text)
    if about is None or action not in ("accept", "reject"):
        raise wrong(f"`action`: {_DECIDES}")
    if prefix_of(about) == "th":
        reply = values.pop("replyId", None)
        if action == "reject" or not isinstance(reply, str):
            raise wrong(
                "A question takes `action`: `accept` with `replyId`, the id of an artifact."
            )
        path = {"threadId": about, "replyId": reply}
        return AskedOperation("accept_reply", values, path, _in_data)
    if action == "accept":
        return AskedOperation("accept_job", values, {"jobId": about}, _in_data)
    return AskedOperation("reject_job", values, {"jobId": about}, _in_data)


def title_of(text: str) -> str:
    """The first line of a question, cut to the length of a title; its body has the whole text."""
    first = text.lstrip().partition("\n")[0][: 2 * TITLE_CHARS]
    line = "".join(one if one.isprintable() else " " for one in first).strip()
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"


def _in_parts(name: str) -> str:
    return f"message.parts ({name})"


def _in_data(name: str) -> str:
    return f"message.parts.data.{name}"
