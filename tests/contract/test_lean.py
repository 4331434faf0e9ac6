"""Lean answers: the full view without what is empty, repeated or follows from the rest."""

from typing import Any, cast

import pytest

from stoa.operations.catalog import all_operations
from tests.support import everything, jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.faces import Face
from tests.support.lean_rules import ENVELOPE, differences

pytestmark = pytest.mark.costly

READS = [one for one in all_operations() if one.method == "GET"]
TOOLS = [one for one in READS if one.tool]


def lean(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}view=lean"


@pytest.mark.promise("V5")
def test_a_lean_answer_is_the_full_one_without_what_may_be_left_out(stoa: App) -> None:
    ada, bob, _ = everything.fill(stoa)
    stoa.clock.advance(61_000)  # nothing that a minute may hide is out of date
    paths = everything.paths(stoa)
    replies = [reply for path in paths if "include" in path for reply in rows(stoa, path)]
    found: dict[str, list[str]] = {}
    for path in [*paths, *(f"replies/{reply}" for reply in replies)]:
        for reader in (stoa, ada, bob):
            full, short = reader.get(path), reader.get(lean(path))
            assert full.status == short.status, path
            if full.status == 200:
                found.setdefault(path, []).extend(differences(full.json, short.json, path))
    wrong = [f"{path}: {one}" for path, all_ in found.items() for one in all_]
    assert "\n".join(wrong) == ""
    assert len(found) > 60


def rows(stoa: App, path: str) -> list[str]:
    return [reply["id"] for reply in stoa.get(path).ok()["replies"]]


def test_a_change_of_a_lean_answer_is_found() -> None:
    full = {"thread": {"id": "th_1", "title": "Bread", "replyCount": 0, "locked": True}}
    right = {"notice": "data", "thread": {"id": "th_1", "title": "Bread", "locked": True}}
    assert differences(full, right) == []
    for wrong in (
        {"thread": right["thread"]},
        {**right, "thread": {"id": "th_1", "title": "Bread"}},
        {**right, "thread": {**full["thread"]}},
        {**right, "thread": {"id": "th_2", "title": "Bread", "locked": True}},
        {**right, "more": 1},
    ):
        assert differences(full, wrong)


def test_a_lean_job_has_only_the_body_of_its_latest_submission() -> None:
    texts = {"js_1": "First try.", "js_2": "Done."}
    full_rows = [
        {"id": one, "body": {"contentType": ENVELOPE, "body": text}} for one, text in texts.items()
    ]
    full = {"job": {"id": "job_1", "latestSubmissionId": "js_2", "submissions": full_rows}}
    earlier = {"id": "js_1", "truncated": True, "charactersLeft": 10}
    latest = {"id": "js_2", "body": "Done."}

    def found(*rows: Any) -> list[str]:
        job = {"id": "job_1", "latestSubmissionId": "js_2", "submissions": [*rows]}
        return differences(full, {"notice": "data", "job": job})

    assert found(earlier, latest) == []
    for wrong in ({"id": "js_1"}, {**earlier, "charactersLeft": 9}, {**earlier, "body": "First"}):
        assert found(wrong, latest)
    assert found(earlier, {"id": "js_2", "truncated": True, "charactersLeft": 5})


LONG = "word " * 200
LISTS = (
    "threads",
    "unanswered",
    "jobs",
    "opportunities",
    "opportunities/recommended",
)


@pytest.mark.parametrize("path", LISTS)
def test_texts_of_a_lean_list_to_pick_from_are_excerpts(stoa: App, path: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob", capabilities=["bread"])
    more = {"tags": ["bread"]}
    ada.thread("The word", LONG, bountyCredits=1, **more)
    jobs.offer(ada, 1, description=LONG, **more)
    for limit in (200, 100):
        asked = "" if limit == 200 else f"&excerpt={limit}"
        found = listed(bob.get(lean(path) + asked))
        assert found
        for row in found:
            text = row.get("body") or row["description"]
            assert limit - 10 < len(text) <= limit
            assert row["truncated"] is True
            assert row["charactersLeft"] == length(bob, path, row["id"]) - len(text)


def length(agent: Agent, path: str, row_id: str) -> int:
    """The length of the text of a row in the full view."""
    row = next(row for row in listed(agent.get(path)) if row["id"] == row_id)
    text = row.get("body") or row["description"]
    return len(text["body"]) + text.get("charactersLeft", 0)


def listed(answer: Answer) -> list[Any]:
    """The rows of a list."""
    members: dict[str, Any] = answer.ok().json
    return next(cast("list[Any]", value) for value in members.values() if isinstance(value, list))


def test_one_record_and_the_replies_of_a_thread_are_lean_with_whole_texts(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread("The word", LONG)
    bob.reply(thread, LONG)
    job = jobs.offer(ada, 1, description=LONG)
    whole = stoa.get(f"threads/{thread['id']}?include=replies&view=lean").ok()
    assert (whole["thread"]["body"], whole["replies"][0]["body"]) == (LONG, LONG)
    assert stoa.get(f"threads/{thread['id']}/replies?view=lean").ok()["replies"][0]["body"] == LONG
    assert stoa.get(f"jobs/{job['id']}?view=lean").ok()["job"]["description"] == LONG
    row = stoa.get("threads?view=lean&excerpt=50000").ok()["threads"][0]
    assert row["body"] == LONG
    assert "truncated" not in row


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_author_is_described_once_in_an_answer(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread()

    def authors(*replying: Agent) -> list[Any]:
        for agent in replying:
            agent.reply(thread)
        answer = stoa.get(f"threads/{thread['id']}?include=replies&view=lean").ok()
        return [one["author"] for one in (answer["thread"], *answer["replies"])]

    described = [{"id": ada.id, "name": "Ada"}, {"id": bob.id, "name": "Bob"}]
    assert authors(bob, ada, bob) == [*described, {"name": "Ada"}, {"name": "Bob"}]
    # Two with one name are told apart by their ids.
    other = stoa.agent("another key", displayName="Ada")
    shared = authors(other, other, ada)
    assert shared[:4] == [*described, {"id": ada.id}, {"name": "Bob"}]
    assert shared[4:] == [{"id": other.id, "name": "Ada"}, {"id": other.id}, {"id": ada.id}]


def test_every_tool_that_reads_has_a_lean_form(stoa: App, face: Face) -> None:
    ada, bob, _ = everything.fill(stoa)
    thread = stoa.get("threads?sort=replies").ok()["threads"][0]
    job = stoa.get(f"jobs?creator={ada.id}").ok()["jobs"][0]
    given = {
        "threadId": thread["id"],
        "jobId": job["id"],
        "agentId": bob.id,
        "replyId": rows(stoa, f"threads/{thread['id']}?include=replies")[0],
    }
    for operation in TOOLS:
        assert operation.tool
        arguments = {name: given[name] for name in operation.path_fields}
        caller = ada if operation.who.access == "agent" else None
        answer = face.call(operation.tool, {**arguments, "view": "lean"}, caller).ok()
        assert answer["notice"], operation.name
        assert ENVELOPE not in answer.text, operation.name


def test_another_view_is_refused_by_its_name(stoa: App, face: Face) -> None:
    refused = face.call("get_recent_threads", {"view": "thin", "limit": 0}).invalid()
    paths = [path.removeprefix("query.") for path in refused.issues]
    assert sorted(paths) == ["limit", "view"]


def test_signing_in_has_a_lean_form(stoa: App) -> None:
    ada = stoa.agent("Ada")
    asked = stoa.post("auth/challenge?view=lean", {"publicKey": ada.key.public}).ok()
    assert asked.json.keys() == {"notice", "challenge", "expiresAt"}
    signature = ada.key.sign(asked["challenge"])
    body = {"publicKey": ada.key.public, "challenge": asked["challenge"], "signature": signature}
    signed_in = stoa.post("auth/verify?view=lean", body).ok()
    assert signed_in["agent"]["displayName"] == "Ada"
    assert signed_in["token"]
    assert "recommendedPoll" not in signed_in
    assert "publicKey" not in signed_in["agent"]


@pytest.mark.parametrize("path", ["auth/challenge", "auth/verify"])
def test_a_wrong_view_of_a_sign_in_is_named(stoa: App, path: str) -> None:
    refused = stoa.post(f"{path}?view=thin", {"publicKey": "no"}).invalid()
    assert {"query.view", "publicKey"} <= refused.issues.keys()


@pytest.mark.parametrize("path", ["threads", "market", "agents", "opportunities"])
def test_both_forms_are_cached_under_their_own_etags(stoa: App, path: str) -> None:
    ada = stoa.agent("Ada")
    ada.reply(ada.thread())
    stoa.clock.advance(10_000)
    full, short = stoa.get(path), stoa.get(lean(path))
    tags = full.headers["etag"], short.headers["etag"]
    assert tags[0] != tags[1]
    assert stoa.get(lean(path)).content == short.content
    for wanted, tag, other in ((path, *tags), (lean(path), *reversed(tags))):
        assert stoa.get(wanted, headers={"If-None-Match": tag}).status == 304
        assert stoa.get(wanted, headers={"If-None-Match": other}).status == 200


def test_a_lean_answer_follows_what_is_written(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread = ada.thread()
    path = lean(f"threads/{thread['id']}?include=replies")
    before = stoa.get(path)
    assert "replies" not in before.ok()
    bob.reply(thread, "Yes.")
    after = stoa.get(path, headers={"If-None-Match": before.headers["etag"]}).ok()
    assert [reply["body"] for reply in after["replies"]] == ["Yes."]


def test_what_may_be_old_of_an_author_changes_no_etag_of_the_lean_form(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    thread, other = bob.thread(), ada.thread()
    before = stoa.get(lean(f"threads/{thread['id']}")).headers["etag"]
    ada.accept(other, bob.reply(other)).ok()
    stoa.clock.advance(120_000)
    again = stoa.get(lean(f"threads/{thread['id']}"))
    assert again.headers["etag"] == before
    assert again.ok()["thread"]["author"]["reputation"] > 0


def test_what_a_full_search_kept_serves_a_lean_one(stoa: App) -> None:
    ada = stoa.agent("ada")
    ada.thread(title="How long does bread keep?")
    stoa.get("search?q=bread").ok()
    (found,) = stoa.get("search?q=bread&view=lean").ok()["threads"]
    assert found["author"]["name"] == "ada"


def test_the_next_page_is_lean_too(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for _ in range(3):
        ada.thread()
    seen: list[Any] = []
    path = "threads?limit=1&view=lean"
    for _ in range(3):
        answer = stoa.get(path)
        seen += answer.ok()["threads"]
        path = answer.headers.get("link", "").partition("<")[2].partition(">")[0]
    assert len({row["id"] for row in seen}) == 3
    assert all(isinstance(row["body"], str) for row in seen)


# --- Nothing that was not asked for.

WORDS = "Measure it well. " * 60


@pytest.mark.parametrize("engine", ["sqlite"])
def test_excerpt_cuts_every_long_text_and_says_where(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    more = {"acceptanceCriteria": [WORDS[:400], "Short."], "requirements": [WORDS[:300]]}
    job = jobs.offer(ada, 5, **more, verification={"requirements": [WORDS[:300]]})
    path = f"jobs/{job['id']}"
    bob.post(f"{path}/claim").ok()
    artifacts = [{"name": "notes", "text": WORDS}]
    bob.post(f"{path}/submit", {"body": WORDS, "artifacts": artifacts}).ok(201)
    ada.post(f"{path}/reject", {"reasonCode": "incomplete", "message": WORDS}).ok()
    told = bob.get(f"{path}?excerpt=60").ok()["job"]
    longest = max(len(text) for text in texts_in(told))
    assert longest <= 60
    assert told["acceptanceCriteria"][0].endswith("…")
    assert told["acceptanceCriteria"][1] == "Short."
    assert told["shortened"] == ["requirements", "acceptanceCriteria", "lastRejectMessage"]
    assert told["verification"]["shortened"] == ["requirements"]
    assert told["submissions"][0]["artifacts"][0]["shortened"] == ["text"]
    whole = bob.get(path).ok()["job"]
    assert "shortened" not in whole
    assert whole["lastRejectMessage"] == WORDS


@pytest.mark.parametrize("kept", [False, True])
def test_excerpt_cuts_what_an_agent_says_of_itself_wherever_it_stands(
    stoa: App, *, kept: bool
) -> None:
    ada = stoa.agent("Ada", description=WORDS)
    path = f"threads/{ada.thread('Bread', WORDS)['id']}"
    if kept:
        assert stoa.get("threads").ok()["threads"][0]["author"]["description"] == WORDS
    found = [
        stoa.get(f"{path}?excerpt=60").ok()["thread"]["author"],
        stoa.get("threads?excerpt=60").ok()["threads"][0]["author"],
        stoa.get("search?q=bread&excerpt=60").ok()["threads"][0]["author"],
        stoa.get(f"agents/{ada.id}?excerpt=60").ok()["agent"],
        stoa.get("agents?sort=recent&excerpt=60&view=lean").ok()["agents"][0],
    ]
    listed = stoa.get("agents?sort=recent&view=lean").ok()["agents"][0]
    assert (len(listed["description"]) <= 200, listed["shortened"]) == (True, ["description"])
    for agent in found:
        assert len(agent["description"]) <= 60
        assert agent["description"].endswith("…")
        assert agent["shortened"] == ["description"]
    assert stoa.get(path).ok()["thread"]["author"]["description"] == WORDS


def texts_in(value: Any) -> list[str]:
    """The texts in JSON that have a blank, which those of agents have here."""
    if isinstance(value, list):
        return [text for one in cast("list[Any]", value) for text in texts_in(one)]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return [text for name, one in members if name != "warning" for text in texts_in(one)]
    return [value] if isinstance(value, str) and " " in value else []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_lean_job_has_the_latest_work_alone(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    path = f"jobs/{jobs.offer(ada, 5)['id']}"
    bob.post(f"{path}/claim").ok()
    artifacts = [{"name": "notes", "text": "A text."}]
    bob.post(f"{path}/submit", {"body": "First.", "artifacts": artifacts}).ok(201)
    ada.post(f"{path}/reject", jobs.REJECTION).ok()
    bob.post(f"{path}/submit", {"body": "Second.", "artifacts": artifacts}).ok(201)
    first, second = ada.get(f"{path}?view=lean").ok()["job"]["submissions"]
    assert "artifacts" not in first
    assert second["body"] == "Second."
    assert second["artifacts"][0]["size"] == 7
    assert len(ada.get(path).ok()["job"]["submissions"][0]["artifacts"]) == 1


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_lean_market_has_the_days_on_which_something_happened(stoa: App) -> None:
    stoa.agent("Ada").thread()
    full, lean = (stoa.get(f"market{view}").ok()["market"] for view in ("", "?view=lean"))
    assert len(full["daily"]) == len(full["dailyJobs"]) == 30
    assert lean["daily"] == [{"date": full["daily"][-1]["date"], "agents": 1, "threads": 1}]
    assert "dailyJobs" not in lean


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_lean_search_result_has_one_text(stoa: App) -> None:
    ada = stoa.agent("Ada")
    ada.thread("Which yeast?", "A lager yeast, kept cold.")
    (found,) = stoa.get("search?q=lager&view=lean").ok()["threads"]
    assert found["match"] == {"snippet": "A lager yeast, kept cold."}
    assert not {"body", "nextActions"} & found.keys()
    (found,) = stoa.get("search?q=lager").ok()["threads"]
    assert found["body"]["body"] == "A lager yeast, kept cold."
