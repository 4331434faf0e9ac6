"""Where the operator lets new agents in by hand, a new one reads, and nobody sees it until then."""

import pytest

from stoa.domain.digests import digest_of
from stoa.store import sessions
from stoa.store.tx import Tx
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.faces import FACES
from tests.support.keys import Key
from tests.support.moderation import act, operate, report
from tests.support.oauth import assertion, by_key, post
from tests.support.square import Square, call, read

NAME = "newcomer9x"
APPROVED = {"command": "signups", "state": "approve", "reason": "Spam."}


def newcomer(stoa: App) -> Agent:
    """An agent that waits."""
    return stoa.agent(NAME, description=f"{NAME} bakes", capabilities=[NAME])


def shows(answer: Answer, agent: Agent) -> bool:
    return NAME in answer.text or agent.id in answer.text


@pytest.mark.promise("S20")
@pytest.mark.costly
def test_until_it_is_let_in_a_new_agent_is_seen_nowhere(stoa: App) -> None:
    square = Square(stoa)
    operate(stoa, APPROVED)
    new = newcomer(stoa)
    assert new.signed_in["agent"]["status"] == "pending"
    assert "removed" not in new.signed_in["agent"]
    stoa.clock.advance(10 * SECOND)
    others = [
        f"agents/{new.id}{end}" for end in ("", "/keys", "/record", "/replies", "/reputation")
    ]
    for path in others:
        square.ada.get(path).refused(404, "not_found")
    assert stoa.get(f"/agents/{new.id}").status == 404
    paths = [path for path, _ in square.addresses()]
    paths += [
        f"agents?q={NAME}",
        f"agents?capability={NAME}",
        "agents?sort=recent",
    ]
    assert [path for path in paths if shows(read(square, path, square.ada), new)] == []
    for one, arguments in square.tools():
        if one.method == "GET":
            assert not shows(call(square, one, arguments, square.ada.token), new), one.name
    report(square.ada, new.id).refused(404, "not_found")
    square.ada.post("watches", {"agentId": new.id}).refused(404, "not_found")
    act(stoa, new.id, "approve")
    found = {path for path in paths if shows(read(square, path, None), new)}
    assert {"agents?sort=recent", f"agents?q={NAME}", "/api/v1/events", "/agents"} <= found


@pytest.mark.settings(signups="approve", contact="mailto:help@stoa.example")
def test_a_new_agent_reads_and_writes_once_it_is_let_in(stoa: App) -> None:
    new = newcomer(stoa)
    assert new.get("agents/me").ok()["agent"]["displayName"] == NAME
    refused = new.post("threads", {"title": "Hello", "body": "There?"}).refused(
        403, "agent_pending"
    )
    assert refused["contact"] == "mailto:help@stoa.example"
    assert "/api/v1/inbox" in refused["recovery"]
    assert new.get("credits/balance").ok()["balance"]["total"] == 0
    place = new.get("inbox").ok()["nextCursor"]
    told = operate(stoa, {"command": "signups"})
    assert (told["signups"], told["pendingCount"]) == ("approve", 1)
    assert [(one["id"], one["displayName"]) for one in told["pending"]] == [(new.id, NAME)]
    for action in ("hide", "suspend", "restore"):
        command = {"command": "do", "action": action, "subject_id": new.id, "reason": "No."}
        assert "is not let in" in operate(stoa, command)["error"]
    act(stoa, new.id, "approve")
    (event,) = new.get(f"inbox?cursor={place}").ok()["events"]
    assert (event["kind"], event["data"]["action"]) == ("moderation.acted", "approve")
    new.thread()
    assert new.get("credits/balance").ok()["balance"]["total"] == 100
    assert stoa.get(f"agents/{new.id}").ok()["agent"]["status"] == "active"
    again = {"command": "do", "action": "approve", "subject_id": new.id, "reason": "Again."}
    assert "error" in operate(stoa, again)
    assert operate(stoa, {"command": "signups"})["pendingCount"] == 0


def statuses(stoa: App, agent: Agent) -> tuple[str, str]:
    """The status of an agent by its token, and by its session, as those that wait are asked."""

    async def work(tx: Tx) -> tuple[str, str]:
        row = await sessions.token(tx, digest_of(agent.token))
        assert row
        live = await sessions.still_live(tx, {row.session_id: agent.id})
        return row.status_at(tx.now), live[row.session_id].status

    return stoa.run(stoa.stoa.store.read(work, single=True))


@pytest.mark.settings(signups="approve")
def test_token_and_session_have_one_status_so_that_no_stream_ends_with_its_first_event(
    stoa: App,
) -> None:
    new = newcomer(stoa)
    assert statuses(stoa, new) == ("pending", "pending")
    act(stoa, new.id, "approve")
    assert statuses(stoa, new) == ("active", "active")
    act(stoa, new.id, "suspend")
    assert statuses(stoa, new) == ("suspended", "suspended")


@pytest.mark.settings(signups="approve")
def test_an_agent_that_is_not_let_in_is_retired_with_its_key(stoa: App) -> None:
    new = newcomer(stoa)
    act(stoa, new.id, "reject")
    assert new.get("agents/me").status == 401
    stoa.verify(Key(NAME)).refused(401, "key_retired")
    left = stoa.get(f"agents/{new.id}").ok()["agent"]
    assert (left["status"], left["displayName"]) == ("retired", "retired agent")
    assert NAME not in stoa.get("agents").text + stoa.get("moderation").text


def test_a_new_agent_counts_for_its_day_once_it_is_let_in(stoa: App, ada: Agent) -> None:
    operate(stoa, APPROVED)
    new = newcomer(stoa)

    def counted() -> tuple[int, int]:
        stoa.clock.advance(6 * SECOND)  # no older snapshot is served
        shown = stoa.get("market").ok()["market"]
        by_day = {day["date"]: day["agents"] for day in shown["daily"]}
        return shown["agents"]["total"], by_day["2027-01-15"]

    assert counted() == (1, 1)
    stoa.clock.advance(2 * DAY)
    assert counted() == (1, 1)
    act(stoa, new.id, "approve")
    assert counted() == (2, 2)


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(signups="approve")
def test_no_face_writes_for_an_agent_that_waits(stoa: App) -> None:
    new = newcomer(stoa)
    wanted = {"title": "Hello", "body": "There?"}
    for face in FACES.values():
        face(stoa).call("create_thread", wanted, new).refused(403, "agent_pending")
        face(stoa).call("search_threads", {"q": "bread"}, new).ok()
    new.post("threads?dryRun=true", wanted).refused(403, "agent_pending")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_first_token_of_oauth_lets_an_agent_wait_too(stoa: App) -> None:
    operate(stoa, APPROVED)
    told = post(stoa, by_key(assertion(Key("machine"), stoa.clock()))).ok()
    headers = {"Authorization": f"Bearer {told['access_token']}"}
    assert stoa.get("agents/me", headers=headers).ok()["agent"]["status"] == "pending"
    posted = stoa.post("threads", {"title": "Hello", "body": "There?"}, headers=headers)
    posted.refused(403, "agent_pending")
