"""Reads that fit: `excerpt` cuts texts, `maxTokens` leaves rows out, and nothing is lost."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from stoa.domain.token_counts import estimate
from tests.support import everything
from tests.support.app import App
from tests.support.faces import Face
from tests.support.lean_rules import ENVELOPE, differences

pytestmark = pytest.mark.costly

WORDS = "Bread rises well at twenty-four degrees when nobody looks at it. "
SPACE = 1.15
"""The estimate may be so much off."""


def asked(path: str, **options: Any) -> str:
    return f"{path}{'&' if '?' in path else '?'}{urlencode(options)}"


def texts(value: Any) -> list[Any]:
    """Every envelope in an answer."""
    if isinstance(value, list):
        return [found for inner in value for found in texts(inner)]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return []
    if value.get("contentType") == ENVELOPE:  # pyright: ignore[reportUnknownMemberType]
        return [value]
    return [found for inner in value.values() for found in texts(inner)]  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.promise("V6")
def test_an_excerpt_cuts_every_text_at_a_words_end_and_says_how_much_is_left(stoa: App) -> None:
    ada, *_ = everything.fill(stoa)
    thread = ada.thread("Long", WORDS * 20, tags=["bread"])
    ada.reply(thread, WORDS * 10)
    cut = 0
    for path in everything.paths(stoa):
        full, short = ada.get(path), ada.get(asked(path, excerpt=40))
        if full.status != 200:
            continue
        for before, after in zip(texts(full.json), texts(short.json), strict=True):
            assert before["body"].startswith(after["body"])
            assert len(after["body"]) <= 40
            left = len(before["body"]) - len(after["body"])
            assert after.get("charactersLeft", 0) == left
            assert after.get("truncated", False) is (left > 0)
            cut += left > 0
    assert cut > 5


def test_an_excerpt_of_a_lean_answer_says_it_beside_the_text(stoa: App) -> None:
    ada = stoa.agent("Ada")
    thread = ada.thread(body=WORDS * 3)
    path = asked(f"threads/{thread['id']}", excerpt=60)
    full, short = stoa.get(path).ok(), stoa.get(asked(path, view="lean")).ok()
    assert short["thread"]["truncated"] is True
    assert short["thread"]["charactersLeft"] == full["thread"]["body"]["charactersLeft"]
    assert differences(full.json, short.json, path) == []


@pytest.mark.promise("V7")
@pytest.mark.parametrize("view", ["full", "lean"])
@pytest.mark.parametrize("most", [200, 900, 4000])
def test_pages_within_a_budget_show_every_row_once(stoa: App, view: str, most: int) -> None:
    ada = stoa.agent("Ada")
    for number in range(12):
        stoa.clock.advance(1000)
        ada.thread(f"Number {number}", WORDS * (1 + number % 3))
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = stoa.get(asked("threads", view=view, maxTokens=most, **cursor)).ok()
        rows = answer["threads"]
        assert len(rows) == 1 or estimate(answer.text) <= most * SPACE
        assert answer.json.get("omitted", 0) == 12 - len(seen) - len(rows)
        seen += [row["id"] for row in rows]
        if not answer.json.get("nextCursor"):
            break
        cursor = {"cursor": answer["nextCursor"]}
    assert len(seen) == len(set(seen)) == 12


@pytest.mark.promise("V11")
@pytest.mark.parametrize("view", ["full", "lean"])
@pytest.mark.parametrize("path", ["events", "inbox"])
def test_events_within_a_budget_are_shown_once(stoa: App, path: str, view: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread()
    for _ in range(12):
        bob.reply(thread, WORDS * 5)
    whole = [row["id"] for row in ada.get(path).ok()["events"]]
    first = ada.get(asked(path, view=view, maxTokens=900)).ok()
    assert first["omitted"] == len(whole) - len(first["events"]) > 0
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while answer := ada.get(asked(path, view=view, maxTokens=900, **cursor)).ok():
        rows = answer.json.get("events", [])
        if not rows:
            break
        assert len(rows) == 1 or estimate(answer.text) <= 900 * SPACE
        seen += [row["id"] for row in rows]
        cursor = {"cursor": answer["nextCursor"]}
    assert seen == whole
    assert len(whole) >= 12


def test_a_budget_that_is_large_enough_changes_nothing(stoa: App) -> None:
    ada, *_ = everything.fill(stoa)
    stoa.clock.advance(61_000)  # nothing that a minute may hide is out of date
    for path in everything.paths(stoa):
        full = ada.get(path)
        if full.status == 200 and "market" not in path:
            assert ada.get(asked(path, maxTokens=10**6)).json == full.json, path


def test_replies_of_a_thread_that_were_left_out_are_found_by_the_cursor(stoa: App) -> None:
    ada = stoa.agent("Ada")
    thread = ada.thread()
    replies = [ada.reply(thread, WORDS * 2)["id"] for _ in range(9)]
    path = f"threads/{thread['id']}?include=replies"
    answer = stoa.get(asked(path, maxTokens=800, view="lean")).ok()
    shown = [row["id"] for row in answer["replies"]]
    assert 0 < len(shown) < 9
    assert answer["omitted"] == 9 - len(shown)
    assert answer["repliesTruncated"] is True
    rest = stoa.get(asked(thread["repliesUrl"], cursor=answer["nextCursor"])).ok()
    assert [*shown, *(row["id"] for row in rest["replies"])] == replies


def test_the_focus_view_leaves_out_the_farthest(stoa: App) -> None:
    ada = stoa.agent("Ada")
    thread = ada.thread()
    parent: Any = None
    chain: list[str] = []
    for _ in range(8):
        parent = ada.reply(thread, WORDS, parent)
        chain.append(parent["id"])
    answer = stoa.get(asked(f"replies/{chain[0]}", maxTokens=1800)).ok()
    shown = [row["id"] for row in answer["replies"]]
    assert shown == chain[: len(shown)]
    assert 1 <= len(shown) < 8
    assert answer["omitted"] == 8 - len(shown)
    assert answer["repliesTruncated"] is True


def test_related_work_takes_what_the_rows_of_a_search_leave(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for number in range(3):
        ada.post("jobs", {"title": f"Bread {number}", "description": WORDS, "rewardCredits": 2})
    ada.thread("Bread", WORDS)
    whole = stoa.get("search?q=bread").ok()
    assert len(whole["relatedOpportunities"]) == 3
    short = stoa.get(asked("search?q=bread", maxTokens=1000)).ok()
    assert len(short["threads"]) == 1
    assert len(short["relatedOpportunities"]) < 3
    assert estimate(short.text) <= 1000 * SPACE
    assert stoa.get(asked("search?q=bread", maxTokens=200)).ok()["relatedOpportunities"] == []


@pytest.mark.parametrize(
    "options",
    [{"excerpt": 39}, {"maxTokens": 199}, {"excerpt": "many"}, {"maxTokens": "-1"}],
)
@pytest.mark.checks_input
def test_bad_bounds_are_refused_by_their_names(
    stoa: App, face: Face, options: dict[str, Any]
) -> None:
    refused = face.call("get_recent_threads", {**options, "limit": 0}).invalid()
    assert {path.removeprefix("query.") for path in refused.issues} == {*options, "limit"}


def test_the_least_bounds_are_taken_and_names_that_are_nearly_right_are_refused(stoa: App) -> None:
    stoa.get("threads?excerpt=40&maxTokens=200").ok()
    stoa.get("threads?max_tokens=500&exerpt=50").invalid("query.max_tokens", "query.exerpt")


def test_both_bounds_go_through_every_face(stoa: App, face: Face) -> None:
    ada = stoa.agent("Ada")
    for _ in range(3):
        ada.thread(body=WORDS * 10)
    given = {"excerpt": 40, "maxTokens": 200, "view": "lean"}
    answer = face.call("get_recent_threads", given).ok()
    assert len(answer["threads"]) < 3
    assert answer["omitted"] == 3 - len(answer["threads"])
    assert answer["threads"][0]["truncated"] is True
    assert json.dumps(answer.json).count(WORDS) == 0
