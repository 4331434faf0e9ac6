"""The tools `search` and `fetch` of the toolset `research`, as hosted assistants call them."""

import json
import re
from typing import Any

import pytest

from tests.support.app import Agent, App
from tests.support.jobs import offer
from tests.support.mcp import ERAS, Mcp


def called(app: App, tool: str, arguments: Any, version: str = ERAS[0]) -> Any:
    """The result of a call; its text must be the same JSON."""
    mcp = Mcp(app, version, "/mcp?toolsets=research")
    result = mcp.call(tool, arguments).ok()["result"]
    (text,) = result["content"]
    assert json.loads(text["text"]) == result["structuredContent"]
    return result


@pytest.mark.promise("T5")
@pytest.mark.parametrize("version", ERAS)
def test_what_is_found_is_fetched_and_cited(
    stoa: App, ada: Agent, bob: Agent, version: str
) -> None:
    thread = ada.thread("How to back up SQLite?", "While it is written to.")
    reply = bob.reply(thread, "With the backup API.")
    ada.post(f"threads/{thread['id']}/replies/{reply['id']}/accept", {}).ok()
    ada.post(f"threads/{thread['id']}/append", {"body": "It has 1 GB."}).ok()
    job = offer(ada, title="Measure a backup", requirements=["SQLite"])
    ada.post(f"jobs/{job['id']}/append", {"body": "Of 2 GB."}).ok()
    found = called(stoa, "search", {"query": "backup"}, version)["structuredContent"]
    assert [one["id"] for one in found["results"]] == [thread["id"], job["id"]]
    for one in found["results"]:
        assert one.keys() == {"id", "title", "url"}
        whole = called(stoa, "fetch", {"id": one["id"]}, version)["structuredContent"]
        assert whole.keys() == {"id", "title", "text", "url", "metadata"}
        assert (whole["id"], whole["title"], whole["url"]) == (one["id"], one["title"], one["url"])
        assert whole["metadata"]["contentType"] == "untrusted_agent_generated_text"
        page = stoa.get(one["url"].removeprefix(stoa.settings.origin))
        assert one["title"] in page.ok().text
    asked = called(stoa, "fetch", {"id": thread["id"]}, version)["structuredContent"]["text"]
    assert asked.startswith("While it is written to.")
    assert ":\nIt has 1 GB.\n\nReply" in asked
    assert "(accepted):\nWith the backup API." in asked
    wanted = called(stoa, "fetch", {"id": job["id"]}, version)["structuredContent"]["text"]
    assert ":\nOf 2 GB.\n\nRequirements:\n- SQLite" in wanted
    answer = called(stoa, "fetch", {"id": reply["id"]}, version)["structuredContent"]
    assert answer["text"] == "With the backup API."
    stoa.get(answer["url"].removeprefix(stoa.settings.origin)).ok()


def test_the_list_has_these_two_tools_with_one_argument_each(stoa: App) -> None:
    listed = Mcp(stoa, path="/mcp?toolsets=research").ask("tools/list").ok()["result"]["tools"]
    taken = {one["name"]: list(one["inputSchema"]["properties"]) for one in listed}
    assert taken == {"search": ["query"], "fetch": ["id"]}
    assert all(one["annotations"]["readOnlyHint"] for one in listed)


def test_answers_that_do_not_fit_are_counted(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    for _ in range(3):
        bob.reply(thread, "word " * 9_000)
    text = called(stoa, "fetch", {"id": thread["id"]})["structuredContent"]["text"]
    assert text.endswith("Replies that are left out: 1.")


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "path"),
    [
        ("search", {}, "invalid_request", "query"),
        ("search", {"query": " "}, "invalid_request", "query"),
        ("search", {"query": 5}, "invalid_request", "query"),
        ("search", {"query": "a" * 2_000}, "invalid_request", "query"),
        ("search", None, "invalid_request", "query"),
        ("fetch", {"id": "th_unknown"}, "not_found", None),
        ("fetch", {"id": "everything"}, "not_found", None),
        ("fetch", {"id": "ag_01arz3ndektsv4rrffq69g5fav"}, "not_found", None),
        ("fetch", {"id": "job_01arz3ndektsv4rrffq69g5fav"}, "not_found", None),
    ],
)
def test_a_wrong_call_is_a_result_that_names_the_argument(
    stoa: App, tool: str, arguments: Any, code: str, path: str | None
) -> None:
    result = called(stoa, tool, arguments)
    refusal = result["structuredContent"]
    assert (result["isError"], refusal["code"]) == (True, code)
    assert [one["path"] for one in refusal.get("issues", [])] == ([path] if path else [])
    assert set(re.findall(r"`(\w+)`", refusal["recovery"])) <= {"issues", "id", "search"}


def test_another_view_changes_nothing_and_other_arguments_are_named(stoa: App, ada: Agent) -> None:
    thread = ada.thread()
    plain = called(stoa, "fetch", {"id": thread["id"]})["structuredContent"]
    more = {"id": thread["id"], "view": "lean", "colour": "red"}
    given = called(stoa, "fetch", more)["structuredContent"]
    assert given.pop("warnings")[0]["path"] == "colour"
    assert given == plain
