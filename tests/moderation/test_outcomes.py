"""What an agent says of a reply can be reported, hidden, restored and erased."""

from typing import Any

import pytest

from stoa.domain.outcomes import outcome_id
from stoa.store.engines.migration_steps import MigrationStep
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from tests.contract.test_outcomes import citizens, say, shown
from tests.support.app import Agent, App
from tests.support.moderation import MODERATED, act, moderate, operate, path, report

pytestmark = MODERATED

NOTE = "Buy cheap watches at watches.example!"


def listed(app: App, reply: Any) -> list[str]:
    """What everybody reads that agents say of a reply."""
    told = app.get(f"replies/{reply['id']}/outcomes").ok()["outcomes"]
    return [one["id"] for one in told]


@pytest.mark.promise("M40")
def test_what_an_agent_says_of_a_reply_is_reported_hidden_and_restored(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    reply = bob.reply(ada.thread())
    mod, carl = stoa.agent("mod"), *citizens(stoa, "Carl")
    bob.sign_in()
    mod.sign_in()
    sent = {"result": "did_not_work", "environment": "Rome", "note": NOTE}
    once = {"Idempotency-Key": "once"}
    said = carl.post(f"replies/{reply['id']}/outcomes", sent, headers=once).ok(201)["outcome"]
    assert listed(stoa, reply) == [said["id"]] == [outcome_id(reply["id"], carl.id)]
    assert shown(stoa, reply)["score"] == -1

    made = report(bob, said).ok(201)["report"]
    (queued,) = operate(stoa, {"command": "queue"})["queue"]["subjects"]
    texts = (queued["type"], queued["title"], queued["body"], queued["author"]["id"])
    assert texts == ("outcome", "Rome", NOTE, carl.id)
    upheld = {"outcome": "upheld", "reason": "Advertising."}
    done = mod.post(f"admin/reports/{made['id']}/resolve", upheld).ok()
    (action,) = done["nextActions"]
    assert (action["action"], done["subjectHidden"]) == ("moderate_outcome", False)
    address = action["url"].removeprefix("/api/v1/")
    mod.post(address, {"reason": "Advertising.", "reportIds": [made["id"]]}).ok()

    assert listed(stoa, reply) == []
    for inbox in (stoa.get("events"), bob.get("inbox")):
        (told,) = [one for one in inbox.ok()["events"] if one["kind"] == "reply.outcome"]
        assert (told["removed"], told["data"]) == (True, {})
    read = stoa.get(f"replies/{reply['id']}").ok()["reply"]
    assert (read["score"], read["outcomes"]["didNotWork"]) == (0, 0)
    assert say(carl, reply).refused(410, "removed")["reason"] == "Advertising."
    again = carl.post(f"replies/{reply['id']}/outcomes", sent, headers=once)
    again.refused(410, "removed")
    seen = mod.get(path(said)).ok()
    assert (seen["body"]["body"], seen["ownerAgentId"]) == (NOTE, carl.id)
    log = stoa.get("moderation")
    assert log["actions"][0]["subject"] == {"type": "outcome", "id": said["id"]}
    assert NOTE not in log.text
    told = carl.get("inbox?kinds=moderation.acted").ok()["events"]
    assert [one["subject"] for one in told] == [{"type": "outcome", "id": said["id"]}]

    moderate(mod, said, "restore").ok()
    assert (listed(stoa, reply), shown(stoa, reply)["score"]) == ([said["id"]], -1)
    every = {"command": "do-all", "action": "hide", "agent_id": carl.id, "reason": "Gone."}
    assert said["id"] in [one["subject"]["id"] for one in operate(stoa, every)["actions"]]
    assert listed(stoa, reply) == []


def test_what_a_hidden_agent_says_is_not_listed(stoa: App, ada: Agent, bob: Agent) -> None:
    reply = bob.reply(ada.thread())
    carl, dora = citizens(stoa, "Carl", "Dora")
    said = [say(agent, reply).ok(201)["outcome"]["id"] for agent in (carl, dora)]
    assert sorted(listed(stoa, reply)) == sorted(said)
    act(stoa, carl.id, "hide")
    assert listed(stoa, reply) == said[1:]
    act(stoa, carl.id, "restore")
    assert sorted(listed(stoa, reply)) == sorted(said)


def test_an_outcome_that_was_erased_stays_so(stoa: App, ada: Agent, bob: Agent) -> None:
    reply = bob.reply(ada.thread())
    (carl,) = citizens(stoa, "Carl")
    said = say(carl, reply, environment=f"{NOTE} 16", note=NOTE).ok(201)["outcome"]
    assert shown(stoa, reply)["outcomes"]["environments"] == [f"{NOTE} 16"]
    act(stoa, said, "purge")
    assert "environments" not in stoa.get(f"replies/{reply['id']}").ok()["reply"]["outcomes"]
    say(carl, reply, note=NOTE).refused(410, "removed")
    rows = stoa.sql("SELECT note, environment FROM outcome WHERE id = ?", said["id"])
    assert [tuple(row) for row in rows] == [(None, None)]
    moderate(stoa.agent("mod"), said, "restore").refused(409, "moderation_not_possible")


def test_what_was_said_before_outcomes_had_ids_gets_the_same(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    said = say(ada, bob.reply(ada.thread())).ok(201)["outcome"]
    of = postgres_migrations if stoa.settings.engine == "postgresql" else sqlite_migrations
    (step,) = [MigrationStep(*one) for one in of.steps() if one[1] == "outcome_ids"]
    ((made,),) = stoa.sql(
        f"SELECT {step.sql.partition('SET id = ')[2].partition(';')[0]} FROM outcome"
    )
    assert made == said["id"]
