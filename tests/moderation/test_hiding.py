"""What is hidden is gone from every read, list, page, feed and search, and can come back."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from stoa.memory.offer_index import OFFER_INDEX_SIZES
from stoa.operations import opportunities, related, search
from stoa.operations.call import Call
from stoa.store.engines.sqlite.tx import BriefTx, SqliteTx, TakesLonger
from stoa.web.site import ROWS
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY
from tests.support.key_changes import rotation
from tests.support.keys import Key
from tests.support.mcp import Mcp
from tests.support.moderation import MODERATED, REASON, moderate, path, subject
from tests.support.places import Places
from tests.support.steps import Steps

pytestmark = MODERATED
CANARY = "canary bird"
WAIT_S = 60


ACTS = {"moderation", "/moderation", "/feeds/moderation.atom", "/feeds/moderation.json"}
"""Where acts of moderators stand."""


def everywhere(app: App, ada: Agent, thing: Any = None) -> dict[str, str]:
    """What others than the parties are told, by place; also of the thing itself."""
    things = [] if thing is None else [thing]
    places = Places(app, ada.id, ["canary", "watches"], "watches")
    return places.told(app.agent("stranger"), *things)


def own(thing: Any) -> list[str]:
    """The addresses of a thread, reply or job itself."""
    kind, number = ("none", "") if thing is None else (thing["id"].partition("_")[0], thing["id"])
    return {
        "none": [],
        "th": [
            f"threads/{number}",
            f"threads/{number}?include=replies",
            f"threads/{number}/replies",
            f"/forum/threads/{number}",
            f"/forum/threads/{number}/text",
        ],
        "rp": [f"replies/{number}", f"/forum/replies/{number}", f"/forum/replies/{number}/text"],
        "job": [f"jobs/{number}", f"/jobs/{number}", f"/jobs/{number}/text"],
        "ag": [f"agents/{number}", f"agents/{number}/reputation", f"/agents/{number}"],
    }[kind]


def naming(told: dict[str, str], *texts: str) -> list[str]:
    """The places where any of these texts stands."""
    return [place for place, text in told.items() if any(one in text for one in texts)]


def new_thread(agent: Agent, **more: Any) -> Any:
    return agent.thread(f"{CANARY} title", f"{CANARY} body", tags=["watches", "cheap"], **more)


@pytest.mark.promise("M1")
def test_a_hidden_thread_is_gone_from_everywhere_at_once(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    kept = ada.thread("Another question", "It stays.")
    thread = new_thread(ada, bountyCredits=5)
    reply = bob.reply(thread, f"{CANARY} answer")
    before = everywhere(stoa, ada, thread)
    assert len(naming(before, CANARY)) > 15
    moderate(mod, thread, "hide").ok()
    after = everywhere(stoa, ada, thread)
    assert naming(after, CANARY) == []
    stoa.run(stoa.stoa.upkeep.notice_acts())
    stoa.run(stoa.processes[-1].upkeep.notice_acts())
    assert stoa.get("market").ok()["market"]["topTags"] == []
    del after["/sitemap.xml"]  # it names parts by where they begin
    part = stoa.get(f"/sitemap/threads/{kept['id']}.xml").ok().text
    assert kept["id"] in part
    assert thread["id"] not in part
    named = {one for one in naming(after, thread["id"]) if thread["id"] not in one}
    logged = {one for one in named if one.partition("?")[0] == "events"}
    assert named - logged == ACTS
    for event in stoa.get("events").ok()["events"]:
        is_act = event["kind"] == "moderation.acted"
        assert is_act or event.get("removed", False) is (event.get("threadId") == thread["id"])
    for place in (*own(thread), *own(reply)):
        assert stoa.get(place).status == 410
    for agent in (ada, bob, mod):
        gone = agent.get(f"threads/{thread['id']}").refused(410, "removed")
        assert gone["reason"] == REASON
    assert stoa.get("credits/balance", headers=ada.headers).ok()["balance"]["available"] == 100


def test_a_market_that_was_read_before_a_hiding_is_not_kept(
    stoa: App, mod: Agent, ada: Agent, steps: Steps
) -> None:
    thread = new_thread(ada, bountyCredits=5)

    async def overtake() -> None:
        (await mod.ask("POST", f"{path(thread)}/hide", {"reason": REASON})).ok()
        for process in stoa.processes:
            await process.upkeep.notice_acts()

    for process in stoa.processes:
        stoa.run(process.upkeep.notice_acts())
    steps.after("read", overtake, once=True)
    assert "watches" in stoa.get("market").ok().text
    for process in stoa.processes:
        stoa.run(process.upkeep.notice_acts())
    for _ in stoa.processes:
        assert stoa.get("market").ok()["market"]["topTags"] == []


@pytest.mark.parametrize("is_of_week", [True, False])
@pytest.mark.parametrize("what", ["thread", "reply"])
def test_a_good_answer_leaves_the_front_page_with_its_thread(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, what: str, is_of_week: bool
) -> None:
    thread = ada.thread("A question", "Who knows?")
    reply = bob.reply(thread, f"{CANARY} answer")
    ada.accept(thread, reply).ok()
    if not is_of_week:
        stoa.clock.advance(8 * DAY)
        for agent in (mod, ada, bob):
            agent.sign_in()
    for _ in stoa.processes:
        assert CANARY in stoa.get("/").text
    moderate(mod, {"thread": thread, "reply": reply}[what], "hide").ok()
    for _ in stoa.processes:
        assert CANARY not in stoa.get("/").text


def overtaken(
    asked: Agent | App,
    monkeypatch: pytest.MonkeyPatch,
    first: tuple[Any, str],
    target: str,
    hiding: Coroutine[Any, Any, Answer],
) -> Answer:
    """The answer of a read that has all from memory until the function of this module and name
    reads the first row. Just before it does so, something is hidden."""
    module, name = first
    read, hidden = getattr(module, name), list[Answer]()

    async def ask() -> Answer:
        loop = asyncio.get_running_loop()

        async def late(call: Call, things: Any, **more: Any) -> Any:
            if type(call.tx) is BriefTx:
                raise TakesLonger
            if type(call.tx) is SqliteTx and not hidden:  # in the thread that reads
                assert call.tx.ran == []
                hidden.append(asyncio.run_coroutine_threadsafe(hiding, loop).result(WAIT_S))
            return await read(call, things, **more)

        with monkeypatch.context() as patch:
            patch.setattr(module, name, late)
            return await asked.ask("GET", target)

    answer = (asked.app if isinstance(asked, Agent) else asked).run(ask()).ok()
    assert [one.status for one in hidden] in ([200], [201])
    return answer


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("view", ["full", "lean"])
def test_a_search_that_a_hiding_overtakes_shows_nothing_blank_and_keeps_nothing_of_it(
    stoa: App, mod: Agent, ada: Agent, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    body = "Where does the zebra live?"
    first, *_ = [ada.thread("A beast", body) for _ in range(4)]
    stoa.get("search?q=zebra&limit=3").ok()  # knows whose the four texts are
    hide = mod.ask("POST", f"{path(first)}/hide", {"reason": REASON})
    target = f"search?q=zebra&limit=3&view={view}"
    during = overtaken(stoa, monkeypatch, (search, "summaries"), target, hide)
    assert [one["title"] for one in during["threads"]] == ["A beast"] * 3
    rest = stoa.get(f"search?q=zebra&cursor={during['nextCursor']}").ok()
    assert rest["threads"] == [], "all that are left were shown"
    moderate(mod, first, "restore").ok()
    after = stoa.get("search?q=zebra").ok()["threads"]
    assert [one["match"]["snippet"]["body"] for one in after] == [body] * 4


@pytest.fixture
def reporter(stoa: App, bob: Agent) -> Agent:
    """One whose report hides: use `@HIDES`."""
    bob.thread("Old enough", "b")
    stoa.clock.advance(1_000)
    return bob


HIDES = pytest.mark.settings(auto_hide=1, new_agent_seconds=1)
"""A report hides a thread, and its bounty is on offer again when it is restored."""


@HIDES
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("word", ["quark", "zebra"])
def test_the_words_of_an_offer_that_was_hidden_meanwhile_are_read_again(
    stoa: App, mod: Agent, ada: Agent, reporter: Agent, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    offer = ada.thread("A beast", "Where does the zebra live?", bountyCredits=1)
    ada.thread("Zebra", "It is found first.")
    moderate(mod, offer, "lock").ok()
    stoa.get(f"search?q={word}").ok()  # looks at no offer
    moderate(mod, offer, "unlock").ok()
    stoa.clock.advance(OFFER_INDEX_SIZES.made_each_ms)
    reporter.get("opportunities/recommended").ok()  # has what is on offer in memory, not its words
    stoa.get("search").ok()  # the index has all that was committed
    report = reporter.ask("POST", "reports", {"subject": subject(offer), "reason": "spam"})
    overtaken(stoa, monkeypatch, (related, "rows_views"), f"search?q={word}", report)
    stoa.get(f"threads/{offer['id']}").refused(410, "removed")
    moderate(mod, offer, "restore").ok()
    found = stoa.get("search?q=zebra&limit=1").ok()
    assert [one["title"] for one in found["threads"]] == ["Zebra"]
    assert [one["title"] for one in found["relatedOpportunities"]] == ["A beast"]


@HIDES
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("view", ["full", "lean"])
def test_an_offer_that_was_hidden_meanwhile_is_not_recommended(
    stoa: App, mod: Agent, ada: Agent, reporter: Agent, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    titles = ["Four", "Three", "Two", "One"]
    offers = [ada.thread(one, "b", bountyCredits=1 + at) for at, one in enumerate(titles)]
    path = "opportunities/recommended"
    reporter.get(f"{path}?limit=1").ok()  # has the first two in memory
    report = reporter.ask("POST", "reports", {"subject": subject(offers[1]), "reason": "spam"})
    target = f"{path}?limit=3&view={view}"
    during = overtaken(reporter, monkeypatch, (opportunities, "rows_views"), target, report)
    rest = reporter.get(f"{path}?cursor={during['nextCursor']}").ok()
    shown = [*during["opportunities"], *rest["opportunities"]]
    assert [one["title"] for one in shown] == ["One", "Two", "Four"]
    moderate(mod, offers[1], "restore").ok()
    shown = reporter.get(path).ok()["opportunities"]
    assert [one["title"] for one in shown] == titles[::-1]


@pytest.mark.promise("M2")
def test_a_restored_thread_is_where_it_was(stoa: App, mod: Agent, ada: Agent, bob: Agent) -> None:
    thread = new_thread(ada)
    bob.reply(thread, f"{CANARY} answer")
    before = everywhere(stoa, ada, thread)
    moderate(mod, thread, "hide").ok()
    moderate(mod, thread, "restore").ok()
    after = everywhere(stoa, ada, thread)
    for place in before.keys() - ACTS:
        assert (CANARY in before[place]) is (CANARY in after[place]), place
    assert stoa.get("search?q=answer").ok()["threads"][0]["match"]["replyId"]


def test_nothing_can_be_done_in_a_hidden_thread(mod: Agent, ada: Agent, bob: Agent) -> None:
    thread = new_thread(ada, bountyCredits=5)
    reply = bob.reply(thread)
    moderate(mod, thread, "hide").ok()
    bob.post(f"threads/{thread['id']}/replies", {"body": "More."}).refused(410, "removed")
    ada.accept(thread, reply).refused(410, "removed")
    jobs.act(bob, thread, "claim").refused(410, "removed")
    jobs.act(bob, {"id": thread["bounty"]["id"]}, "claim").refused(410, "removed")


@pytest.mark.promise("M3")
def test_a_hidden_reply_keeps_its_place_without_its_text(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread("A question", "Who knows?")
    reply = bob.reply(thread, f"{CANARY} answer")
    below = ada.reply(thread, "Below.", reply)
    assert stoa.get("unanswered").ok()["threads"] == []
    moderate(mod, reply, "hide").ok()
    assert naming(everywhere(stoa, ada, thread), CANARY) == []
    read = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    hidden, shown = read["replies"]
    assert (hidden["body"]["body"], hidden["acceptEligible"]) == ("", False)
    assert hidden["removed"]["reason"] == REASON
    assert "removed" not in shown
    assert read["thread"]["replyCount"] == 2
    assert "accept" not in read["thread"]["actions"]
    assert [one["id"] for one in stoa.get("unanswered").ok()["threads"]] == [thread["id"]]
    focus = stoa.get(f"replies/{below['id']}").ok()
    assert CANARY not in focus.text
    stoa.get(f"replies/{reply['id']}").refused(410, "removed")
    ada.accept(thread, reply).refused(410, "removed")
    answer = {"body": "More.", "parentReplyId": reply["id"]}
    bob.post(f"threads/{thread['id']}/replies", answer).refused(410, "removed")
    moderate(mod, reply, "restore").ok()
    again = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert again["replies"][0]["body"]["body"] == f"{CANARY} answer"
    assert "accept" in again["thread"]["actions"]
    assert stoa.get("unanswered").ok()["threads"] == []
    assert stoa.get("search?q=canary").ok()["threads"][0]["match"]["replyId"] == reply["id"]


def test_a_hidden_answer_stays_paid(stoa: App, mod: Agent, ada: Agent, bob: Agent) -> None:
    thread = ada.thread("A question", "Who knows?", bountyCredits=5)
    reply = bob.reply(thread)
    ada.accept(thread, reply).ok()
    moderate(mod, reply, "hide").ok()
    assert bob.get("credits/balance").ok()["balance"]["available"] == 105
    moderate(mod, thread, "hide").ok()
    assert bob.get("credits/balance").ok()["balance"]["available"] == 105


@pytest.mark.promise("M24")
@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
def test_a_thread_whose_accepted_reply_is_hidden_keeps_its_page(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, form: str
) -> None:
    thread = ada.thread("A question", "Who knows?")
    answers = [bob.reply(thread, f"Answer {number}.") for number in range(ROWS + 1)]
    ada.accept(thread, answers[-1]).ok()
    address, accept = f"/forum/threads/{thread['id']}", {"Accept": form}
    assert b"Accepted answer" in stoa.get(address, headers=accept).ok().content
    moderate(mod, answers[-1], "hide").ok()
    shown = stoa.get(address, headers=accept).ok().content
    assert b"Answer 7." in shown
    assert b"Accepted answer" not in shown
    moderate(mod, answers[-1], "restore").ok()
    assert b"Accepted answer" in stoa.get(address, headers=accept).ok().content


def test_a_reply_that_is_hidden_stays_so_when_its_thread_comes_back(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = new_thread(ada)
    reply = bob.reply(thread, "zebra")
    for thing, action in ((reply, "hide"), (thread, "hide"), (thread, "restore")):
        moderate(mod, thing, action).ok()
    assert stoa.get("search?q=zebra").ok()["threads"] == []
    moderate(mod, thread, "hide").ok()
    reads = f"get_thread` (GET /api/v1/threads/{thread['id']}"
    assert reads not in stoa.get(f"replies/{reply['id']}").refused(410, "removed").text
    moderate(mod, thread, "restore").ok()
    assert reads in stoa.get(f"replies/{reply['id']}").refused(410, "removed").text
    moderate(mod, thread, "hide").ok()
    moderate(mod, reply, "restore").ok()
    assert stoa.get("search?q=zebra").ok()["threads"] == []
    moderate(mod, thread, "restore").ok()
    assert len(stoa.get("search?q=zebra").ok()["threads"]) == 1


@pytest.mark.promise("M4")
def test_a_hidden_job_is_gone_and_its_reward_back(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    job = jobs.offer(ada, 5, title=f"{CANARY} job", description=CANARY, tags=["watches"])
    assert len(naming(everywhere(stoa, ada, job), CANARY)) > 8
    moderate(mod, job, "hide").ok()
    assert naming(everywhere(stoa, ada, job), CANARY) == []
    ada.get(f"jobs/{job['id']}").refused(410, "removed")
    jobs.act(bob, job, "claim").refused(410, "removed")
    assert ada.get("credits/balance").ok()["balance"]["available"] == 100
    moderate(mod, job, "restore").ok()
    assert stoa.get(f"jobs/{job['id']}").ok()["job"]["status"] == "REFUNDED_EXPIRED"
    assert ada.get("credits/balance").ok()["balance"]["available"] == 100


@pytest.mark.promise("M5")
def test_a_hidden_job_that_was_claimed_goes_on_for_its_two_parties(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    job = jobs.offer(ada, 5, title=CANARY)
    jobs.done(bob, job, "claim")
    moderate(mod, job, "hide").ok()
    stoa.get(f"jobs/{job['id']}").refused(410, "removed")
    mod.get(f"jobs/{job['id']}").refused(410, "removed")
    for agent in (ada, bob):
        assert agent.get(f"jobs/{job['id']}").ok()["job"]["removed"]["reason"] == REASON
    jobs.done(bob, job, "submit")
    assert len(ada.get(f"jobs/{job['id']}/submissions").ok()["submissions"]) == 1
    jobs.done(ada, job, "accept")
    assert bob.get("credits/balance").ok()["balance"]["available"] == 105


def test_who_gives_back_a_hidden_job_is_led_to_what_can_be_read(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    job = jobs.offer(ada, 5)
    jobs.done(bob, job, "claim")
    moderate(mod, job, "hide").ok()
    given_back = jobs.act(bob, job, "release").ok()
    bob.get(f"jobs/{job['id']}").refused(410, "removed")
    assert [action["url"] for action in given_back["nextActions"]] == ["/api/v1/moderation"]
    assert given_back["job"]["nextActions"] == given_back["nextActions"]


@pytest.mark.promise("M6")
def test_a_hidden_agent_has_no_name_wherever_it_stands(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    rude = stoa.agent(CANARY, description=CANARY, capabilities=["watches"])
    thread = rude.thread("A question", "It stays.")
    reply = rude.reply(ada.thread("Other", "Body"), "It stays too.")
    bob.reply({"id": reply["threadId"]}, "Below.", reply)
    asked = {"id": rude.id}
    places = lambda: everywhere(stoa, ada, asked) | everywhere(stoa, ada, thread)  # noqa: E731
    seen = [*own(thread), f"/forum/threads/{reply['threadId']}"]
    assert naming(places(), CANARY)
    moderate(mod, rude.id, "hide").ok()
    told = places() | {place: stoa.get(place).text for place in seen}
    assert naming(told, CANARY) == []
    for place in own(asked):
        assert stoa.get(place).status == 410
    shown = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (shown["body"]["body"], shown["author"]["displayName"]) == ("It stays.", "")
    assert shown["author"]["removed"]["reason"] == REASON
    told = rude.sign_in({"displayName": f"{CANARY} again", "nickname": CANARY})["warnings"]
    assert [one["path"] for one in told] == ["nickname", "displayName"]
    assert "removed this agent" in told[1]["message"]
    assert "warnings" not in rude.sign_in()
    assert naming(places(), CANARY) == []
    moderate(mod, rude.id, "restore").ok()
    assert stoa.get(f"agents/{rude.id}").ok()["agent"]["displayName"] == CANARY


@pytest.mark.promise("M7")
def test_moderators_alone_read_what_is_hidden(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = new_thread(ada)
    reply = bob.reply(thread, CANARY)
    job = jobs.offer(ada, 5, title=CANARY)
    for thing in (thread, reply, job, ada.id):
        moderate(mod, thing, "hide").ok()
        read = mod.get(path(thing)).ok()
        assert CANARY in read.text or thing == ada.id
        assert [act["action"] for act in read["actions"]] == ["hide"]
        assert read["removedAt"]
        ada.get(path(thing)).refused(403, "moderator_required")
        stoa.get(path(thing)).refused(401, "missing_bearer_token")


@pytest.mark.promise("M8")
def test_a_replay_does_not_show_what_was_hidden_since(mod: Agent, ada: Agent, bob: Agent) -> None:
    keyed = {"headers": {"Idempotency-Key": "once"}}
    body = {"title": CANARY, "body": CANARY}
    thread = ada.post("threads", body, **keyed).ok(201)["thread"]
    place = f"threads/{thread['id']}/replies"
    bob.post(place, {"body": CANARY}, **keyed).ok(201)
    for _ in range(2):
        ada.post("threads", body, **keyed).ok(201)
    moderate(mod, thread, "hide").ok()
    assert CANARY not in ada.post("threads", body, **keyed).refused(410, "removed").text
    assert CANARY not in bob.post(place, {"body": CANARY}, **keyed).refused(410, "removed").text
    moderate(mod, thread, "restore").ok()
    assert CANARY in ada.post("threads", body, **keyed).ok(201).text


def test_a_replay_does_not_name_an_agent_that_was_hidden_since(
    mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread, keyed = ada.thread(), {"headers": {"Idempotency-Key": "once"}}
    place = f"threads/{thread['id']}/replies"
    below = {"body": "A comment.", "parentReplyId": bob.reply(thread)["id"]}
    first = ada.post(place, below, **keyed).ok(201)
    assert "bob" in first.text
    moderate(mod, bob.id, "hide").ok()
    again = ada.post(place, below, **keyed).ok(201)
    assert "bob" not in again.text
    assert again["receiptId"] == first["receipt"]["id"]


def test_a_hidden_agent_that_repeats_a_call_is_told_that_it_was_done(
    mod: Agent, ada: Agent, bob: Agent
) -> None:
    moderate(mod, ada.id, "hide").ok()
    keyed = {"headers": {"Idempotency-Key": "once"}}
    asked = {"title": "A question", "body": "How?", "bountyCredits": 5}
    first = ada.post("threads", asked, **keyed).ok(201)
    again = ada.post("threads", asked, **keyed).ok(201)
    assert (again["id"], again["receiptId"]) == (first["thread"]["id"], first["receipt"]["id"])
    reply = bob.reply(first["thread"])
    accept = f"threads/{first['thread']['id']}/replies/{reply['id']}/accept"
    paid = [ada.post(accept, headers={"Idempotency-Key": "pay"}).ok() for _ in range(2)]
    assert [one["payment"]["amount"] for one in paid] == [5, 5]
    assert jobs.funds(ada) == (95, 0)


def test_a_replay_shows_a_hidden_job_to_its_parties_alone(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    cy, keyed = stoa.agent("cy"), {"headers": {"Idempotency-Key": "once"}}
    body = jobs.new_job(description=CANARY)
    job = ada.post("jobs", body, **keyed).ok(201)["job"]
    calls = [f"jobs/{job['id']}/claim", f"jobs/{job['id']}/release"]
    for number, call in enumerate(calls):
        assert CANARY in bob.post(call, headers={"Idempotency-Key": f"{number}"}).ok().text
    cy.post(calls[0], **keyed).ok()
    moderate(mod, job, "hide").ok()
    for number, call in enumerate(calls):
        again = bob.post(call, headers={"Idempotency-Key": f"{number}"}).refused(410, "removed")
        assert CANARY not in again.text
    assert CANARY in cy.post(calls[0], **keyed).ok().text
    assert CANARY in ada.post("jobs", body, **keyed).ok(201).text


@pytest.mark.parametrize("how", ["hide", "withdraw"])
def test_a_replay_does_not_name_similar_threads_that_are_gone_since(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, how: str
) -> None:
    keyed = {"headers": {"Idempotency-Key": "once"}}
    words = "How do I wind a mechanical watch with a broken crown?"
    first, second = (ada.thread(f"{words} {number}", words) for number in "12")
    asked = {"title": words, "body": words}
    answer = bob.post("threads", asked, **keyed).ok(201)
    assert {one["id"] for one in answer["similar"]} == {first["id"], second["id"]}
    if how == "hide":
        moderate(mod, first, "hide").ok()
    else:
        ada.post(f"threads/{first['id']}/withdraw").ok()
    again = bob.post("threads", asked, **keyed).ok(201)
    assert [one["id"] for one in again["similar"]] == [second["id"]]
    assert {**again.json, "similar": []} == {**answer.json, "similar": []}
    minimal = bob.post("threads", asked, headers={**keyed["headers"], "Prefer": "return=minimal"})
    assert first["title"] not in minimal.ok(201).text


def test_a_repeated_rotation_does_not_name_an_agent_that_was_hidden_since(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    keyed, new = {"headers": {"Idempotency-Key": "once"}}, Key("new")
    body = rotation(stoa, ada.id, ada.key, new)
    ada.post("auth/rotate", body, **keyed).ok()
    ada.key = new
    ada.sign_in()
    assert '"ada"' in ada.post("auth/rotate", body, **keyed).ok().text
    moderate(mod, ada.id, "hide").ok()
    again = ada.post("auth/rotate", body, **keyed).ok()
    assert again["id"] == ada.id
    assert '"ada"' not in again.text


@pytest.mark.promise("M9")
def test_the_log_is_public_and_repeats_nothing_that_was_hidden(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    thread = new_thread(ada)
    done = moderate(mod, thread, "hide").ok()["action"]
    moderate(mod, ada.id, "adjust", points=-20).ok()
    answer = stoa.get("moderation").ok()
    adjusted, hidden = answer["actions"]
    assert hidden == done
    assert hidden["subject"] == {"type": "thread", "id": thread["id"]}
    assert hidden["moderatorAgentId"] == mod.id
    assert "20" not in str({**adjusted, "createdAt": "", "id": "", "subject": ""}.get("reason"))
    assert CANARY not in answer.text
    assert stoa.get(f"agents/{ada.id}/reputation").ok()["reputation"]["score"] == -20
    first = stoa.get("moderation?limit=1").ok()
    second = stoa.get(f"moderation?limit=1&cursor={first['nextCursor']}").ok()
    assert [one["actions"][0]["action"] for one in (first, second)] == ["adjust", "hide"]


def test_tools_do_not_show_what_is_hidden(stoa: App, mod: Agent, ada: Agent) -> None:
    thread = new_thread(ada)
    moderate(mod, thread, "hide").ok()
    client = Mcp(stoa)
    asked: dict[str, dict[str, Any]] = {
        "get_thread": {"threadId": thread["id"]},
        "search_threads": {"q": CANARY},
        "get_recent_threads": {},
        "get_unanswered_threads": {},
    }
    for tool, arguments in asked.items():
        message = client.message("tools/call", {"name": tool, "arguments": arguments})
        answer = stoa.post("/mcp", message, headers=client.headers(message))
        assert f"{CANARY} title" not in answer.text, tool
