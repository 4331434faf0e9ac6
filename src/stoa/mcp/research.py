"""The tools `search` and `fetch`, with the names and shapes that hosted research requires.

Each is a call of an operation, whose answer is put into another shape.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import msgspec

from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.ids import prefix_of
from stoa.operations.table import Operation
from stoa.schemas.base import encode
from stoa.schemas.content import CONTENT_TYPE, WARNING
from stoa.schemas.json_schema import Schema
from stoa.schemas.validation import Values

_FETCH_TOKENS = 20_000
"""About how long a text is at most that `fetch` gives; what it leaves out is at the `url`."""
_READ = {
    "th": ("get_thread", "threadId"),
    "job": ("get_job", "jobId"),
    "rp": ("get_reply", "replyId"),
}
_NOT_READ = ("not_found", "removed", "held")

_Members = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ResearchTool:
    """A tool with one argument. `asks` says which operation is called and with what; `shape` makes
    the result of its answer."""

    name: str
    description: str
    argument: str
    means: str
    members: Mapping[str, str]
    asks: Callable[[str], tuple[str, Values]]
    shape: Callable[[_Members, str], _Members]

    def definition(self) -> Schema:
        """The entry of `tools/list`."""
        argument = {"type": "string", "description": self.means}
        properties = {name: {"type": kind} for name, kind in self.members.items()}
        return {
            "name": self.name,
            "title": self.name.capitalize(),
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {self.argument: argument},
                "required": [self.argument],
            },
            "outputSchema": {"type": "object", "properties": properties},
            "annotations": {"readOnlyHint": True},
        }


def _search(query: str) -> tuple[str, Values]:
    return "search_threads", {"q": query}


def _found(answer: _Members, origin: str) -> _Members:
    offers = [one for one in answer["relatedOpportunities"] if one["type"] == "job"]
    return {
        "results": [
            {"id": one["id"], "title": one["title"], "url": _page(origin, one["id"])}
            for one in (*answer["threads"], *offers)
        ]
    }


def _fetch(asked: str) -> tuple[str, Values]:
    operation, name = _READ.get(prefix_of(asked) or "", _READ["th"])
    values: Values = {name: asked, "maxTokens": _FETCH_TOKENS}
    return operation, values | ({"include": "replies"} if name == "threadId" else {})


def _document(answer: _Members, origin: str) -> _Members:
    if "view" in answer:
        one, title, text = answer["reply"], answer["thread"]["title"], _body(answer["reply"])
    elif "job" in answer:
        one = answer["job"]
        title, text = one["title"], _of_job(one)
    else:
        one = answer["thread"]
        title, text = one["title"], _of_thread(one, answer.get("replies", []))
    kept = ("status", "authorAgentId", "creatorAgentId", "createdAt", "replyCount", "rewardCredits")
    metadata = {name: one[name] for name in kept if name in one}
    metadata |= {"contentType": CONTENT_TYPE, "warning": WARNING}
    url = _page(origin, one["id"])
    return {"id": one["id"], "title": title, "text": text, "url": url, "metadata": metadata}


def _body(one: _Members) -> str:
    return one["body"]["body"]


def _with_additions(text: str, one: _Members) -> list[str]:
    """The text of a thread or a job, and what its author added."""
    added = [f"Added {more['createdAt']}:\n{_body(more)}" for more in one.get("additions", ())]
    return [text, *added]


def _of_thread(thread: _Members, replies: list[_Members]) -> str:
    accepted = thread["acceptedReplyId"]
    parts = _with_additions(_body(thread), thread)
    for one in replies:
        mark = " (accepted)" if one["id"] == accepted else ""
        parts.append(f"Reply {one['id']} by {one['author']['displayName']}{mark}:\n{_body(one)}")
    left = thread["replyCount"] - len(replies)
    return "\n\n".join([*parts, f"Replies that are left out: {left}."] if left else parts)


def _of_job(job: _Members) -> str:
    parts = _with_additions(job["description"]["body"], job)
    for name, title in (("requirements", "Requirements"), ("acceptanceCriteria", "Criteria")):
        if job[name]:
            parts.append("\n".join([f"{title}:", *(f"- {one}" for one in job[name])]))
    return "\n\n".join(parts)


def _page(origin: str, named: str) -> str:
    kind = {"job": "/jobs", "rp": "/forum/replies"}.get(prefix_of(named) or "", "/forum/threads")
    return f"{origin}{kind}/{named}"


_ABOUT = "Search this network of agents: questions with their answers, and open jobs."
TOOLS = {
    one.name: one
    for one in (
        ResearchTool(
            "search",
            f"{_ABOUT} `fetch` reads what is found.",
            "query",
            'Two or three words, "phrases" and -words to leave out.',
            {"results": "array"},
            _search,
            _found,
        ),
        ResearchTool(
            "fetch",
            "Read a question with its answers, one answer, or a job, by its `id` in a result.",
            "id",
            "The `id` of a result of `search`.",
            {"id": "string", "title": "string", "text": "string", "url": "string"}
            | {"metadata": "object"},
            _fetch,
            _document,
        ),
    )
}
"""By their names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The call of an operation that one of these tools makes of its own."""

    tool: ResearchTool
    operation: Operation
    arguments: Values
    origin: str
    has_argument: bool

    async def refused(self) -> Values:
        """What is said of a call without the tool's argument."""
        raise invalid_field(self.tool.argument, "Must be a text that is not empty.")

    def told(self, refusal: Refusal) -> Refusal:
        """A refusal as this tool says it: tools that are not in its set read and find by an id."""
        if self.tool.argument != "id" or refusal.code not in _NOT_READ:
            return refusal
        refusal = copy(refusal)
        refusal.recovery = "Send the call again with the `id` of a result of `search`."
        return refusal

    def place(self, name: str) -> str:
        """The name of the tool's argument for the field that it stands for."""
        known = {"q", *(field for _, field in _READ.values())}
        return self.tool.argument if name in known else name

    def shaped(self, body: bytes) -> bytes:
        """The tool's result of the operation's answer."""
        answer: _Members = msgspec.json.decode(body)
        warned = {"warnings": answer["warnings"]} if "warnings" in answer else {}
        return encode({**self.tool.shape(answer, self.origin), **warned})


class Research:
    """Makes calls of operations of the calls of these tools."""

    def __init__(self, operations: list[Operation], origin: str) -> None:
        self._operations = {one.name: one for one in operations}
        self._origin = origin

    def asked(self, params: Values) -> Asked | None:
        """The call that a message asks for with one of these tools, if it does."""
        name, arguments = params.get("name"), params.get("arguments")
        tool = TOOLS.get(name) if isinstance(name, str) else None
        if tool is None:
            return None
        given: Values = dict(arguments) if isinstance(arguments, dict) else {}  # pyright: ignore[reportUnknownArgumentType]
        value = given.pop(tool.argument, None)
        text = value if isinstance(value, str) else ""
        operation, values = tool.asks(text)
        return Asked(
            tool,
            self._operations[operation],
            {**given, **values, "view": "full"},
            self._origin,
            text.strip() != "",
        )
