"""Where anybody reads: each read of the table of operations, with each value of each filter, and
each page, feed and document.

What is added to the table or the routes is read too, or fails until its path can be filled in.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Operation
from stoa.schemas.plain_schemas import plain_schema
from tests.support.app import Agent, App
from tests.support.routes import web_paths

BASE = "/api/v1/"
_OF_MODERATORS = f"{BASE}admin/"
_SAYS_NOTHING_OF_AGENTS = (
    *("/docs", "/static/", "/about", "/.well-known/", "/mcp/", "/openapi.json"),
    *("/llms", "/skill.md", "/agent-client.", "/robots.txt"),
)
_LEFT_OUT = frozenset(
    {
        *("limit", "offset", "cursor", "wait", "since", "minReward", "maxReviewHours"),
        *("submissionId", "artifact"),
    }
)
"""Filters that leave out some of what is found without them, or choose within one thing."""
_OF_PAGES = ("/forum/search?q={q}", "/jobs?tag={tag}", "/opportunities?tags={tag}")


class Places:
    """The addresses that show `words` or a thing with the tag `tag`, by the agent `author`."""

    def __init__(self, app: App, author: str, words: list[str], tag: str) -> None:
        self._app = app
        self._tag = tag
        texts = {"q": words, "like": words[:1], "kinds": ["thread.created,job.created"]}
        texts |= {name: [tag] for name in ("tag", "tags", "capability")}
        texts |= {name: [author] for name in ("author", "creator", "agent", "claimedBy")}
        self._asked = {**texts, "thread": [], "hasAccepted": ["true", "false"]}
        self._author = author

    def told(self, reader: Agent, *things: Any) -> dict[str, str]:
        """What is told, by address, to nobody in particular and where a token is needed to
        `reader`; also of these threads, replies, jobs and agents themselves."""
        ids = [one["id"] for one in things]
        told: dict[str, str] = {}
        for path, needs_token in self.addresses(ids):
            told[path] = (reader if needs_token else self._app).get(path).text
        return told

    def addresses(self, ids: list[str]) -> Iterator[tuple[str, bool]]:
        """Each address, and whether it needs a token. Those of the API are below `BASE`."""
        for one in all_operations():
            if one.method == "GET" and not one.path.startswith(_OF_MODERATORS):
                path = self._filled(one.path.removeprefix(BASE), ids)
                needs_token = one.who.access is Access.AGENT
                yield path, needs_token
                for query in self._queries(one):
                    yield f"{path}?{query}", needs_token
        for path in web_paths(self._app.settings):
            if not path.startswith(_SAYS_NOTHING_OF_AGENTS):
                yield self._filled(path, ids), False
        for path in _OF_PAGES:
            yield path.format(q=self._asked["q"][0], tag=self._tag), False

    def _queries(self, one: Operation) -> Iterator[str]:
        for name, values in _filters(one).items():
            for value in self._asked[name] if values is None else values:
                yield f"{name}={value}"

    def _filled(self, path: str, ids: list[str]) -> str:
        """The path with a value for each field, of the things where it can be; KeyError for a
        field that is new."""
        own = {one.partition("_")[0]: one for one in ids}
        thing = {kind: own.get(kind, f"{kind}_{'0' * 26}") for kind in _KINDS}
        values = {field: thing[kind] for kind, fields in _KINDS.items() for field in fields}
        values |= {"artifact": "0", "code": "7K3QX9AB", "part": "1", "kind": "threads"}
        values["tag:path"] = self._tag
        if "ag" not in own:
            values |= dict.fromkeys(_KINDS["ag"], self._author)
        return re.sub(r"{([^}]+)}", lambda field: values[field[1]], path)


_KINDS = {
    "th": ("threadId", "thread_id", "start"),
    "rp": ("replyId", "reply_id"),
    "job": ("jobId", "job_id"),
    "ag": ("agentId", "agent_id"),
    "js": ("submissionId",),
    "rc": ("receiptId",),
}
"""The fields of paths, by the prefix of the ids that fill them in."""


@cache
def _filters(one: Operation) -> dict[str, list[str] | None]:
    """The filters of a read with their values, None where these are texts."""
    fields: dict[str, Any] = plain_schema(one.request)["properties"]
    left = fields.keys() - set(one.path_fields) - _LEFT_OUT
    return {name: fields[name].get("enum") or _items(fields[name]) for name in sorted(left)}


def _items(field: dict[str, Any]) -> list[str] | None:
    return field.get("items", {}).get("enum")
