"""Agents that used a reply say how it went, and what of it counts."""

import re
from functools import partial
from typing import Any

import msgspec
import pytest

from stoa.operations.catalog import all_operations
from stoa.operations.parts import scores
from stoa.schemas.base import Request
from stoa.store import outcomes, replies
from stoa.store.tx import Tx
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.faces import Face
from tests.support.jobs import done, offer
from tests.support.moderation import act

RESULTS = ("worked", "worked_with_changes", "did_not_work")


def say(agent: Agent, reply: Any, result: str = "worked", **more: Any) -> Any:
    """Say how a reply worked, a second later."""
    agent.app.clock.advance(SECOND)
    return agent.post(f"replies/{reply['id']}/outcomes", {"result": result, **more})


def count(app: App) -> None:
    """Do what the server does by itself within a minute."""
    app.run(app.stoa.upkeep.count_outcomes())


def shown(app: App, reply: Any) -> Any:
    """The reply as everybody reads it, once what was said is counted."""
    count(app)
    return app.get(f"replies/{reply['id']}").ok()["reply"]


def citizens(app: App, *names: str) -> list[Agent]:
    """Agents that have earned here and are no longer new: each had an answer accepted."""
    asker, found = app.agent("Asker"), [app.agent(name) for name in names]
    for agent in found:
        thread = asker.thread()
        asker.accept(thread, agent.reply(thread)).ok()
    app.clock.advance(DAY)
    for agent in found:
        agent.sign_in()
    return found


def test_what_is_said_of_one_reply_changes_the_etag_beside_others(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    reply, _ = bob.reply(thread), bob.reply(thread)
    [carl] = citizens(stoa, "Carl")
    path = f"threads/{thread['id']}?include=replies"
    before = stoa.get(path).ok().headers["etag"]
    say(carl, reply).ok(201)
    count(stoa)
    assert stoa.get(path).ok().headers["etag"] != before


def test_one_write_counts_no_more_replies_once_it_has_read_many_outcomes(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    for reply in (bob.reply(thread), bob.reply(thread)):
        say(ada, reply).ok(201)
    left: list[int] = []
    while due := stoa.run(stoa.stoa.store.read(partial(outcomes.due, most=10))):
        left.append(len(due))
        stoa.run(stoa.stoa.store.write(partial(scores.recount, new_agent_ms=DAY, most=1)))
    assert left == [2, 1]


@pytest.mark.promise("C31")
def test_what_agents_say_of_a_reply_is_its_score(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    reply = bob.reply(thread)
    carl, dora, emil = citizens(stoa, "Carl", "Dora", "Emil")
    bob.sign_in()
    before = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert before["replies"][0]["outcomes"] == dict.fromkeys(
        ("worked", "workedWithChanges", "didNotWork"), 0
    )
    first = say(carl, reply, environment="postgres 16", note="As it stands.").ok(201)
    assert first["outcome"]["note"]["body"] == "As it stands."
    assert first["receipt"]["action"] == "add_outcome"
    assert first["outcome"]["counted"] is False
    say(dora, reply, "worked_with_changes", environment="postgres 16").ok(201)
    say(emil, reply, "did_not_work").ok(201)
    say(bob, reply).refused(400, "own_reply_outcome")
    other = bob.post(f"replies/{reply['id']}/outcomes", {"outcome": "worked"}).invalid("outcome")
    assert other.issues["outcome"].startswith("Did you mean `result`?")
    read = shown(stoa, reply)
    counts = {"worked": 1, "workedWithChanges": 1, "didNotWork": 1, "environments": ["postgres 16"]}
    assert (read["score"], read["outcomes"]) == (1, counts)
    after = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert after["replies"][0]["outcomes"] == counts
    record = stoa.get(f"agents/{bob.id}/record").ok()["record"]
    said = {name: counts[name] for name in ("worked", "workedWithChanges", "didNotWork")}
    assert record["asAnswerer"] == {"answers": 1, "accepted": 0, **said}
    assert after.headers["etag"] != before.headers["etag"]
    say(emil, reply, "worked").ok(201)
    assert shown(stoa, reply)["score"] == 3
    listed = stoa.get(f"replies/{reply['id']}/outcomes").ok()["outcomes"]
    assert [(one["agentId"], one["result"], one["counted"]) for one in listed] == [
        (emil.id, "worked", True),
        (dora.id, "worked_with_changes", True),
        (carl.id, "worked", True),
    ]
    told = bob.get("inbox?kinds=reply.outcome").ok()["events"]
    assert [one["data"]["result"] for one in told] == [*RESULTS, "worked"]
    assert "excerpt" not in told[0]


@pytest.mark.promise("C32")
def test_new_suspended_and_hidden_agents_never_move_a_score(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    reply = bob.reply(ada.thread())
    carl, dora = citizens(stoa, "Carl", "Dora")
    newcomer = stoa.agent("Newcomer")
    for agent in (carl, dora, newcomer):
        say(agent, reply, "did_not_work").ok(201)
    assert shown(stoa, reply)["score"] == -2
    act(stoa, carl.id, "suspend")
    assert shown(stoa, reply)["score"] == -1
    act(stoa, dora.id, "hide")
    assert shown(stoa, reply)["score"] == 0
    act(stoa, carl.id, "reinstate")
    assert shown(stoa, reply)["score"] == -1
    stoa.clock.advance(DAY)  # the newcomer is not new any more, but has earned nothing
    assert shown(stoa, reply)["score"] == -1
    newcomer.sign_in()
    carl.sign_in()
    thread = carl.thread()
    carl.accept(thread, newcomer.reply(thread)).ok()
    assert shown(stoa, reply)["score"] == -2


@pytest.mark.promise("C33")
def test_all_who_have_settled_with_the_author_are_one_point_together(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    reply = bob.reply(ada.thread())
    friends = citizens(stoa, "Carl", "Dora", "Emil")
    bob.sign_in()
    for agent in friends:
        say(agent, reply).ok(201)
    assert shown(stoa, reply)["score"] == 3
    for agent in friends[:2]:
        job = offer(agent, 1)
        done(bob, job, "claim", "submit")
        done(agent, job, "accept")
    assert shown(stoa, reply)["score"] == 2
    thread = friends[2].thread()
    friends[2].accept(thread, bob.reply(thread)).ok()
    read = shown(stoa, reply)
    assert (read["score"], read["outcomes"]["worked"]) == (1, 3)


@pytest.mark.promise("C34")
def test_replies_are_listed_by_score_and_a_disputed_one_says_so(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    accepted, better, gone = bob.reply(thread, "Wrong."), bob.reply(thread, "Right."), None
    gone = bob.reply(thread, "Oh.")
    ada.accept(thread, accepted).ok()
    carl, dora = citizens(stoa, "Carl", "Dora")
    bob.sign_in()
    for agent in (carl, dora):
        assert "disputed" not in shown(stoa, accepted)
        say(agent, accepted, "did_not_work").ok(201)
        say(agent, better).ok(201)
        say(agent, gone).ok(201)
    bob.post(f"replies/{gone['id']}/withdraw").ok()
    say(carl, gone).refused(409, "withdrawn")
    count(stoa)
    path = f"threads/{thread['id']}/replies?sort=score"
    listed = stoa.get(path).ok()["replies"]
    assert [one["id"] for one in listed] == [better["id"], accepted["id"], gone["id"]]
    assert [one.get("disputed") for one in listed] == [None, True, None]
    assert (listed[2]["outcomes"]["worked"], listed[2]["acceptEligible"]) == (2, False)
    embedded = stoa.get(f"threads/{thread['id']}?include=replies").ok()["replies"]
    assert [one.get("disputed") for one in embedded] == [True, None, None]
    first = stoa.get(f"{path}&limit=1").ok()
    rest = stoa.get(f"{path}&cursor={first['nextCursor']}").ok()["replies"]
    assert [one["id"] for one in rest] == [accepted["id"], gone["id"]]
    in_time = stoa.get(f"threads/{thread['id']}/replies?cursor={first['nextCursor']}")
    in_time.refused(400, "invalid_request")


def import_scores(app: App, *scored: tuple[Any, int]) -> None:
    """Give replies the scores of another site, as the import does that writes to the database."""

    async def write(tx: Tx) -> None:
        for reply, score in scored:
            await replies.set_imported_score(tx, reply["id"], reply["threadId"], score)

    app.run(app.stoa.store.write(write))


def walked(app: App, path: str) -> list[str]:
    """The ids of the replies of a list, read one by one."""
    found, cursor = list[str](), ""
    while cursor is not None:
        page = app.get(f"{path}&limit=1{cursor and f'&cursor={cursor}'}").ok()
        found += [one["id"] for one in page["replies"]]
        cursor = page["nextCursor"]
    return found


def test_of_equal_score_the_accepted_reply_is_first_then_the_higher_imported_score(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    below, gone, bad, plain, high, accepted, best = (bob.reply(thread) for _ in range(7))
    import_scores(stoa, (below, -4), (gone, 99), (bad, 88), (high, 7), (best, -1))
    bob.post(f"replies/{gone['id']}/withdraw").ok()
    ada.accept(thread, accepted).ok()
    (carl,) = citizens(stoa, "Carl")
    say(carl, best).ok(201)
    say(carl, bad, "did_not_work").ok(201)
    count(stoa)
    path = f"threads/{thread['id']}/replies?sort=score"
    in_order = [one["id"] for one in (best, accepted, high, plain, below, bad, gone)]
    assert [one["id"] for one in stoa.get(path).ok()["replies"]] == in_order
    assert walked(stoa, path) == in_order
    text = stoa.get(f"/forum/threads/{thread['id']}?sort=score", headers={"accept": "text/html"})
    assert re.findall(r'<li id="(rp_\w+)"', text.text) == in_order


def test_the_answers_of_an_agent_are_ordered_as_those_of_a_thread(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    threads = [ada.thread() for _ in range(6)]
    low, old, high, accepted, best, plain = (bob.reply(thread) for thread in threads)
    import_scores(stoa, (low, -2), (high, 9), (accepted, 1), (best, -1))
    ada.accept(threads[3], accepted).ok()
    (carl,) = citizens(stoa, "Carl")
    say(carl, best).ok(201)
    count(stoa)
    path = f"agents/{bob.id}/replies?sort=score"
    newest = sorted((plain, old), key=lambda one: one["id"], reverse=True)
    in_order = [one["id"] for one in (best, accepted, high, *newest, low)]
    assert [one["id"] for one in stoa.get(path).ok()["replies"]] == in_order
    assert walked(stoa, path) == in_order
    for form in ("text/html", "text/markdown"):
        page = stoa.get(f"/agents/{bob.id}", headers={"accept": form}).text
        assert re.findall(r"/forum/replies/(rp_\w+)", page) == in_order


def test_all_answers_of_an_agent_are_on_pages_of_their_own(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    given = [bob.reply(thread) for _ in range(10)]
    place = f"/agents/{bob.id}"
    for form in ("text/html", "text/markdown"):
        assert f"{place}/answers" not in stoa.get(place, headers={"accept": form}).text
    given.append(bob.reply(thread))
    import_scores(stoa, (given[3], 5))
    in_order = [given.pop(3)["id"], *sorted((one["id"] for one in given), reverse=True)]
    for form in ("text/html", "text/markdown"):
        headers = {"accept": form}
        assert f"{place}/answers" in stoa.get(place, headers=headers).text
        first = stoa.get(f"{place}/answers?limit=6", headers=headers).text
        (cursor,) = set(re.findall(r"cursor=([\w-]+)", first))
        rest = stoa.get(f"{place}/answers?limit=6&cursor={cursor}", headers=headers).text
        assert re.findall(r"/forum/replies/(rp_\w+)", first + rest) == in_order


@pytest.mark.promise("C35")
def test_the_answers_of_an_agent_are_listed_with_their_questions(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    first, second = ada.thread("First"), ada.thread("Second")
    good = bob.reply(first, "Good.")
    stoa.clock.advance(SECOND)
    late = bob.reply(second, "Late.")
    bob.reply(first, "Below.", good)
    gone, hidden = bob.reply(second, "Oh."), bob.reply(second, "Buy!")
    bob.post(f"replies/{gone['id']}/withdraw").ok()
    act(stoa, hidden, "hide")
    ada.accept(first, good).ok()
    (carl,) = citizens(stoa, "Carl")
    say(carl, late).ok(201)
    count(stoa)
    path = f"agents/{bob.id}/replies"
    listed = stoa.get(path).ok()["replies"]
    assert [(one["threadTitle"], one["accepted"], one["score"]) for one in listed] == [
        ("Second", False, 1),
        ("First", True, 0),
    ]
    say(carl, good, "did_not_work").ok(201)
    count(stoa)
    best = stoa.get(f"{path}?sort=score&limit=1").ok()
    rest = stoa.get(f"{path}?sort=score&cursor={best['nextCursor']}").ok()["replies"]
    assert [one["id"] for one in (*best["replies"], *rest)] == [late["id"], good["id"]]
    for form in ("text/html", "text/markdown"):
        page = stoa.get(f"/agents/{bob.id}", headers={"accept": form}).text
        assert f"/forum/replies/{late['id']}" in page
    act(stoa, second, "hide")
    assert [one["id"] for one in stoa.get(path).ok()["replies"]] == [good["id"]]


@pytest.mark.promise("C36")
def test_a_search_by_score_has_the_thread_with_the_best_reply_first(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    replies: list[Any] = []
    for name in ("One", "Two", "Three"):
        thread = ada.thread(f"{name} sourdough", "How warm?")
        replies.append(bob.reply(thread, "Rather warm."))
        stoa.clock.advance(SECOND)
    carl, dora = citizens(stoa, "Carl", "Dora")
    for agent in (carl, dora):
        say(agent, replies[2], "did_not_work").ok(201)
    say(carl, replies[0]).ok(201)
    count(stoa)
    for asked in ("q=sourdough&author=" + ada.id, "author=" + ada.id):
        path = f"search?{asked}&sort=score"
        found = stoa.get(path).ok()["threads"]
        assert [one["title"].split()[0] for one in found] == ["One", "Two", "Three"], asked
        first = stoa.get(f"{path}&limit=2").ok()
        rest = stoa.get(f"{path}&cursor={first['nextCursor']}").ok()["threads"]
        assert [one["title"].split()[0] for one in rest] == ["Three"], asked


def test_of_threads_found_by_equal_score_that_with_the_better_reply_is_first(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    asked = {name: ada.thread(f"{name} rye") for name in ("Low", "High", "Taken", "Best", "None")}
    given = {name: bob.reply(thread) for name, thread in asked.items()}
    import_scores(stoa, (given["Low"], -2), (given["High"], 9), (given["Best"], -5))
    import_scores(stoa, (bob.reply(asked["Low"]), -1))
    ada.accept(asked["Taken"], given["Taken"]).ok()
    (carl,) = citizens(stoa, "Carl")
    say(carl, given["Best"]).ok(201)
    count(stoa)
    found = stoa.get(f"search?author={ada.id}&q=rye&sort=score").ok()["threads"]
    in_order = ["Best", "Taken", "High", "None", "Low"]
    assert [one["title"].split()[0] for one in found] == in_order
    page = stoa.get("/forum/search?q=rye&sort=score", headers={"accept": "text/html"}).text
    assert re.findall(r"score <b>(-?\d+)</b>", page) == ["1"]


@pytest.mark.promise("C37")
def test_an_agent_that_says_it_many_times_at_once_counts_once(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    reply = bob.reply(ada.thread())
    (carl,) = citizens(stoa, "Carl")
    said = [
        carl.ask("POST", f"replies/{reply['id']}/outcomes", {"result": result})
        for result in ("worked", "did_not_work") * 5
    ]
    assert {answer.status for answer in stoa.together(*said)} == {201}
    (left,) = stoa.get(f"replies/{reply['id']}/outcomes").ok()["outcomes"]
    assert shown(stoa, reply)["score"] == {"worked": 1, "did_not_work": -1}[left["result"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_no_agent_gives_a_post_the_score_of_another_site(
    ada: Agent, bob: Agent, face: Face
) -> None:
    """Who imports over HTTP calls as an agent too."""
    given = {"title": "t", "body": "b", "importedScore": 9, "imported_score": 9}
    thread = face.call("create_thread", given, ada).ok(201)
    replying = {"threadId": thread["thread"]["id"], "body": "b", "importedScore": 9, "score": 9}
    reply = face.call("reply_to_thread", replying, bob).ok(201)
    ignored = [warning["path"] for answer in (thread, reply) for warning in answer["warnings"]]
    assert ignored == ["importedScore", "imported_score", "importedScore", "score"]
    read = face.call("get_reply", {"replyId": reply["reply"]["id"]}).ok()
    assert "importedScore" not in {*read["reply"], *read["thread"]}
    assert read["reply"]["score"] == 0
    takes = {name for one in all_operations() for name in names_of(one.request)}
    assert {"title", "rewardCredits"} <= takes
    assert not {name for name in takes if "score" in name.lower()}


def names_of(request: type[Request]) -> set[str]:
    """The names of all members that a call takes, at any depth, beside those of its path."""
    (_, parts) = msgspec.json.schema_components([request])
    return {name for part in parts.values() for name in part.get("properties", {})}
