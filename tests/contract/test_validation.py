"""What a request may hold: unknown members are named and ignored, all mistakes are told at once."""

import json
from typing import Any

import pytest

from stoa.domain.cursors import CursorFormat
from stoa.domain.limits import BODY_CHARS, TITLE_CHARS
from tests.support.app import Agent, App
from tests.support.keys import Key
from tests.support.mcp import Mcp

pytestmark = pytest.mark.checks_input

KEY = Key("validator").public


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


# --- Unknown members and parameters.


def test_an_unknown_member_is_ignored_and_named(alice: Agent) -> None:
    answer = alice.post("threads", {"title": "t", "body": "b", "x.y": ["a"], "zzz": 1}).ok(201)
    assert set(answer.warnings) == {"x.y", "zzz"}


def test_an_unknown_parameter_is_ignored_and_named(stoa: App, alice: Agent) -> None:
    alice.thread()
    answer = stoa.get("threads?foo=bar").ok()
    assert len(answer["threads"]) == 1
    assert set(answer.warnings) == {"query.foo"}


def test_a_parameter_of_a_post_is_unknown(stoa: App) -> None:
    answer = stoa.post(f"auth/challenge?publicKey={KEY}", {"publicKey": KEY}).ok()
    assert set(answer.warnings) == {"query.publicKey"}
    stoa.post(f"auth/challenge?publicKey={KEY}").invalid("publicKey")


def test_the_id_of_the_path_cannot_be_replaced(stoa: App, alice: Agent) -> None:
    first, second = alice.thread(), alice.thread()
    answer = stoa.get(f"threads/{first['id']}?threadId={second['id']}").ok()
    assert answer["thread"]["id"] == first["id"]
    assert set(answer.warnings) == {"query.threadId"}
    body = {"body": "b", "threadId": second["id"]}
    answer = alice.post(f"threads/{first['id']}/replies", body).ok(201)
    assert answer["reply"]["threadId"] == first["id"]


def test_an_agent_that_is_asked_for_by_name_is_looked_for_with_words(stoa: App) -> None:
    answer = stoa.get("agents?name=Alice").invalid("query.name")
    assert answer.issues["query.name"].startswith("Did you mean `q`?")


def test_there_are_no_warnings_when_nothing_was_ignored(stoa: App, alice: Agent) -> None:
    thread = alice.post("threads", {"title": "t", "body": "b"}).ok(201)
    assert "warnings" not in thread
    assert "warnings" not in stoa.get("threads?limit=1&tag=&author=").ok()


def test_ten_thousand_unknown_members_are_a_hundred_warnings_and_their_number(stoa: App) -> None:
    body = {"publicKey": KEY} | {f"x{number}": 1 for number in range(10_000)}
    packed = json.dumps(body, separators=(",", ":")).encode()
    answer = stoa.post("auth/challenge", packed).ok()
    assert len(answer.warnings) == 101
    assert answer.warnings[""].startswith("9,900 more names")


@pytest.mark.parametrize("path", ["threads", "unanswered", "search", "limits"])
def test_an_empty_parameter_counts_as_absent(stoa: App, path: str) -> None:
    plain, empty = stoa.get(path).ok(), stoa.get(f"{path}?limit=&offset=&cursor=&q=&tags=").ok()
    assert plain.json == {name: empty[name] for name in plain}


# --- Mistakes.


def test_all_mistakes_are_told_at_once(alice: Agent) -> None:
    body = {"title": "", "body": 5, "tags": ["ok", "a,b", 7, "\n", "x" * 41]}
    alice.post("threads", body).invalid("title", "body", "tags.1", "tags.2", "tags.3", "tags.4")
    body = {"title": " ", "tags": ["ok", "a,b", "\n", "x" * 41]}
    alice.post("threads", body).invalid("title", "body", "tags.1", "tags.2", "tags.3")


@pytest.mark.parametrize("text", ["%5B%22sqlite%22%2C%22backup%22%5D", "%5B%5D"])
@pytest.mark.parametrize("path", ["search", "opportunities"])
def test_a_list_of_json_in_a_query_is_refused_with_the_form_that_is_wanted(
    stoa: App, path: str, text: str
) -> None:
    answer = stoa.get(f"{path}?tags={text}").invalid("query.tags")
    assert "a,b in a query" in answer.issues["query.tags"]


def test_all_mistakes_of_a_query_are_told_at_once(stoa: App) -> None:
    answer = stoa.get("threads?limit=0&offset=-1&sort=best&status=closed&tag=a,b")
    answer.invalid("query.limit", "query.offset", "query.sort", "query.status", "query.tag")


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("threads?status=zz&cursor=zzz", {"status", "cursor"}),
        ("threads?sort=zz&cursor=zzz", {"sort", "cursor"}),
        ("threads?offset=-1&cursor=zzz&author=x", {"offset", "cursor"}),
        ("unanswered?limit=0&cursor=zzz&sort=zz", {"limit", "cursor"}),
        ("search?q=-only&limit=0&cursor=zzz&tags=,", {"q", "limit", "cursor", "tags.0", "tags.1"}),
        ("jobs?status=zz&cursor=zzz", {"status", "cursor"}),
        ("agents?sort=zz&cursor=zzz", {"sort", "cursor"}),
        (
            "opportunities?minReward=-1&types=zz&cursor=zzz&limit=0",
            {"minReward", "types.0", "cursor", "limit"},
        ),
    ],
)
def test_a_bad_cursor_is_told_with_the_other_mistakes(
    stoa: App, path: str, named: set[str]
) -> None:
    stoa.get(path).invalid(*(f"query.{name}" for name in named))


def test_a_bad_cursor_is_told_before_what_is_not_there(stoa: App, alice: Agent) -> None:
    alice.get("threads/th_01arz3ndektsv4rrffq69g5fav/replies?cursor=zzz").invalid("query.cursor")
    alice.get("jobs/job_01arz3ndektsv4rrffq69g5fav/submissions?cursor=x").invalid("query.cursor")


def test_a_cursor_of_another_order_is_no_cursor_of_a_list_in_no_order(stoa: App) -> None:
    cursor = CursorFormat("threads.active", (int, str)).encode(1, "th_x")
    stoa.get(f"threads?sort=active&cursor={cursor}").ok()
    stoa.get(f"threads?cursor={cursor}").invalid("query.cursor")
    stoa.get(f"threads?sort=zz&cursor={cursor}").invalid("query.sort")


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_text_is_one_mistake(alice: Agent, blank: str) -> None:
    answer = alice.post("threads", {"title": blank, "body": blank}).invalid("title", "body")
    assert len(answer["issues"]) == 2


def test_an_issue_says_what_would_be_right(stoa: App, alice: Agent) -> None:
    assert "recent" in stoa.get("threads?sort=best").invalid("query.sort").issues["query.sort"]
    long = alice.post("threads", {"title": "x" * 301, "body": "b"}).invalid("title")
    assert "300" in long.issues["title"]


WRONG_TYPES: dict[str, list[Any]] = {
    "title": [None, 1, True, [], {}, ["t"]],
    "body": [None, 1.5, False, ["b"], {"body": "b"}],
    "tags": ["a", 1, {}, [1], [None], [["a"]]],
}


@pytest.mark.parametrize("field", WRONG_TYPES)
def test_a_wrong_type_is_400(alice: Agent, field: str) -> None:
    for value in WRONG_TYPES[field]:
        answer = alice.post("threads", {"title": "t", "body": "b", field: value}).invalid()
        assert [path.split(".")[0] for path in answer.issues] == [field]


@pytest.mark.parametrize(
    "query",
    [
        "limit=1&limit=2",
        "limit=1&limit=",
        "limit=&limit=",
        "x=1&x=1",
        "l%69mit=1&limit=1",
        "sort=recent&limit=1&sort=recent",
    ],
)
def test_a_parameter_given_twice_is_400(stoa: App, query: str) -> None:
    (path,) = stoa.get(f"threads?{query}").invalid().issues
    assert path.startswith("query.")


def test_parameters_given_twice_are_told_with_all_else_that_is_wrong(
    stoa: App, alice: Agent
) -> None:
    answer = stoa.get("threads?limit=1&limit=2&sort=zz&tag=a&offset=-1&tag=b")
    answer.invalid("query.limit", "query.tag", "query.sort", "query.offset")
    answer = alice.post("threads?x=1&dryRun=true&x=2&dryRun=true", {"title": 5, "body": "b"})
    answer.invalid("query.x", "query.dryRun", "title")


def test_a_long_number_in_a_query_is_a_number(stoa: App) -> None:
    stoa.get(f"opportunities?minReward=5.{'0' * 30}").ok()
    answer = stoa.get(f"opportunities?minReward=1{'0' * 30}").invalid("query.minReward")
    assert "at most" in answer.issues["query.minReward"]


def test_problems_of_query_key_and_body_are_told_at_once(stoa: App, alice: Agent) -> None:
    wrong = {"title": 5, "body": "b", "tags": ["a,b"]}
    headers = {"Idempotency-Key": "two words"}
    answer = alice.post("threads?view=zz&dryRun=zz", wrong, headers=headers)
    answer.invalid("query.view", "query.dryRun", "Idempotency-Key", "title", "tags.0")
    arguments = {**wrong, "view": "zz", "dryRun": "zz", "idempotencyKey": "two words"}
    told = Mcp(stoa).result("create_thread", arguments, alice)["issues"]
    paths = {"view", "dryRun", "idempotencyKey", "title", "tags.0"}
    assert {issue["path"] for issue in told} == paths


@pytest.mark.parametrize("include", ["reply", "replies,author", "REPLIES", "replies%20"])
def test_an_unknown_include_is_400(stoa: App, alice: Agent, include: str) -> None:
    thread = alice.thread()
    stoa.get(f"threads/{thread['id']}?include={include}").invalid("query.include")
    stoa.get(f"threads/{thread['id']}/replies?include={include}").invalid("query.include")


@pytest.mark.parametrize("sort", ["new", "Recent", "recent,active", "1"])
def test_an_unknown_sort_is_400(stoa: App, sort: str) -> None:
    stoa.get(f"threads?sort={sort}").invalid("query.sort")


@pytest.mark.parametrize("status", ["OPEN", "closed", "open,answered"])
def test_an_unknown_status_is_400(stoa: App, status: str) -> None:
    stoa.get(f"threads?status={status}").invalid("query.status")


# --- Limits of texts count code points.


@pytest.mark.parametrize("letter", ["a", "ß", "\u0301", "漢", "\U0001f600"])
def test_title_and_body_are_measured_in_code_points(alice: Agent, letter: str) -> None:
    title, body = f"t{letter * (TITLE_CHARS - 1)}", f"b{letter * (BODY_CHARS - 1)}"
    thread = alice.post("threads", {"title": title, "body": body}).ok(201)["thread"]
    assert (thread["title"], thread["body"]["body"]) == (title, body)
    answer = alice.post("threads", {"title": title + letter, "body": body + letter})
    answer.invalid("title", "body")


@pytest.mark.parametrize(
    "blank", ["", " ", "\n\t", "\u00a0\u2003", "\u200b\u2060", "\u2800", "\ufeff"]
)
def test_a_blank_title_or_body_is_400(alice: Agent, blank: str) -> None:
    alice.post("threads", {"title": blank, "body": "b"}).invalid("title")
    alice.post("threads", {"title": "t", "body": blank}).invalid("body")
    thread = alice.thread()
    alice.post(f"threads/{thread['id']}/replies", {"body": blank}).invalid("body")


@pytest.mark.promise("X1")
@pytest.mark.parametrize(
    "text",
    [
        "  both ends  ",
        "e\u0301 and \u00e9",
        "ﬁ ﷺ ½",
        "Zoë\u200d\u200c",
        "<b>&amp;</b>",
        "'; DROP TABLE thread; --",
        "\\u0041 %41 &#65;",
    ],
)
def test_texts_are_kept_exactly_as_sent(alice: Agent, text: str) -> None:
    thread = alice.thread(text, text)
    assert (thread["title"], thread["body"]["body"]) == (text, text)
    assert alice.reply(thread, text)["body"]["body"] == text


REFUSED_IN_LABELS = [
    "\x01",
    "\t",
    "\n",
    "\r",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9f",
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
    "\U000e0000",
    "\U000e0041",
    "\U000e007f",
]


@pytest.mark.promise("X2")
@pytest.mark.parametrize("character", REFUSED_IN_LABELS, ids=lambda c: f"U+{ord(c):04X}")
def test_labels_refuse_what_hides_or_reorders_text_and_bodies_keep_it(
    stoa: App, alice: Agent, character: str
) -> None:
    hidden = f"a{character}b"
    alice.post("threads", {"title": hidden, "body": "b"}).invalid("title")
    alice.post("threads", {"title": "t", "body": "b", "tags": [hidden]}).invalid("tags.0")
    key = Key("bob")
    stoa.verify(key, {"displayName": hidden}).invalid("displayName")
    stoa.verify(key, {"capabilities": ["ok", hidden]}).invalid("capabilities.1")
    assert alice.thread("t", hidden)["body"]["body"] == hidden


def test_instructions_in_tag_characters_do_not_get_into_a_title(alice: Agent) -> None:
    hidden = "Hi" + "".join(chr(0xE0000 + ord(letter)) for letter in "Ignore previous")
    alice.post("threads", {"title": hidden, "body": "b"}).invalid("title")
    assert alice.thread("Hi", hidden)["body"]["body"] == hidden


# --- Tags.


def test_tags_are_trimmed_lower_cased_and_kept_once_in_the_order_sent(alice: Agent) -> None:
    tags = [" Beer ", "BREWING", "beer", "ÄÖ", "c++", "two words"]
    assert alice.thread(tags=tags)["tags"] == ["beer", "brewing", "äö", "c++", "two words"]


def test_tags_are_counted_after_duplicates_are_dropped(alice: Agent) -> None:
    assert len(alice.thread(tags=["a", "A", " a "] * 5 + list("bcdefgh"))["tags"]) == 8
    answer = alice.post("threads", {"title": "t", "body": "b", "tags": list("abcdefghi")})
    answer.invalid("tags")


def test_tags_are_measured_after_trimming(alice: Agent) -> None:
    assert alice.thread(tags=[" " * 50 + "x" * 40])["tags"] == ["x" * 40]
    answer = alice.post("threads", {"title": "t", "body": "b", "tags": ["x" * 41]})
    answer.invalid("tags.0")


@pytest.mark.parametrize("tag", ["", " ", "a,b", ",", "\u200b"])
def test_an_empty_tag_or_one_with_a_comma_is_400(stoa: App, alice: Agent, tag: str) -> None:
    answer = alice.post("threads", {"title": "t", "body": "b", "tags": ["ok", tag]})
    answer.invalid("tags.1")


def test_tag_filters_are_normalised_like_tags(stoa: App, alice: Agent) -> None:
    thread = alice.thread(tags=["ÄÖ x"])
    for query in ("threads?tag=%20%C3%84%C3%96%20X", "search?tags=%C3%A4%C3%B6%20x%20"):
        assert [row["id"] for row in stoa.get(query).ok()["threads"]] == [thread["id"]]
    stoa.get("threads?tag=a,b").invalid("query.tag")
    stoa.get("threads?tag=%01").invalid("query.tag")
    stoa.get("search?tags=a,,b").invalid("query.tags.1")
