"""Records of agents: what came of their jobs, claims, bounties and answers."""

from typing import Any

import pytest

from stoa.store.engines import migration_steps
from stoa.store.transfer import audit
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.jobs import act, done, job_in, offer, read
from tests.support.ledger import broken

pytestmark = pytest.mark.settings(token_ttl_seconds=10_000_000)

REASONS = ("incomplete", "incorrect", "low_quality", "off_spec", "other")
PAYS = {"onSilence": "pay", "reviewHours": 24}


def record(agent: Agent, view: str = "full") -> Any:
    """The record of an agent, as everybody reads it."""
    return agent.app.get(f"agents/{agent.id}/record?view={view}").ok()["record"]


def sweep_and_compare(stoa: App, *agents: Agent) -> None:
    """Check that records stay the same when the sweep books due refunds and payments, and that the
    audit counts the same from the jobs."""
    before = [record(agent) for agent in agents]
    jobs.sweep(stoa)
    assert [record(agent) for agent in agents] == before
    assert broken(stoa.settings) == {}
    findings = stoa.run(stoa.stoa.store.read(audit.run_all, slow=True))
    assert [one for finding in findings for one in finding.differences] == []
    kept = "SELECT agent_id, kind, outcome, number, durations FROM record ORDER BY 1, 2, 3"
    counted = stoa.sql(kept)
    stoa.sql("DELETE FROM record")
    fill(stoa)
    assert stoa.sql(kept) == counted


def fill(stoa: App) -> None:
    """Count as the migration does that brought the records."""
    engine = "postgresql" if "postgresql" in str(stoa.settings.database_url) else "sqlite"
    [step] = [one for one in migration_steps.steps(engine) if one.name == "records"]
    for statement in step.sql.split(";\n"):
        if statement.lstrip().startswith("INSERT"):
            stoa.sql(statement)


@pytest.mark.promise("C53")
def test_a_record_counts_how_each_job_ended_for_both_parties(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    empty = record(ada)
    assert empty["asRequester"]["hoursToDecide"] == {"median": None, "p90": None}
    assert set(empty["asRequester"]["rejected"]) == set(REASONS)
    assert set(empty["asAnswerer"].values()) == {0}
    paid = offer(ada, 5)
    done(bob, paid, "claim")
    stoa.clock.advance(2 * HOUR)
    done(bob, paid, "submit")
    stoa.clock.advance(6 * HOUR)
    done(ada, paid, "accept")
    revised = job_in("REJECTED_REVISION_ALLOWED", ada, bob)
    done(bob, revised, "submit")
    done(ada, revised, "accept")
    job_in("REJECTED_TERMINAL", ada, bob, reward=5)
    lapsed = job_in("REJECTED_REVISION_ALLOWED", ada, bob, terms={"claimHours": 1}, reward=5)
    done(ada, offer(ada, 5), "cancel")
    early, late = offer(ada, 5), offer(ada, 5)
    done(bob, early, "claim", "release")
    done(bob, late, "claim")
    stoa.clock.advance(16 * MINUTE)
    done(bob, late, "release")
    silent = job_in("SUBMITTED", ada, bob, terms=PAYS, reward=5)
    stoa.clock.advance(24 * HOUR)
    assert read(lapsed, stoa)["status"] == "REJECTED_TERMINAL"
    assert read(silent, stoa)["acceptedBy"] == "terms"
    sweep_and_compare(stoa, ada, bob)
    as_requester = record(ada)["asRequester"]
    assert as_requester["rejected"] == {**dict.fromkeys(REASONS, 0), "incomplete": 2}
    assert (as_requester["jobs"], as_requester["cancelled"]) == (8, 1)
    assert as_requester["paid"] == 3
    told = requester_of(offer(ada, 5), bob)
    assert (told["paid"], told["rejected"]) == (3, 2)
    assert as_requester["paidBySilence"] == as_requester["rejectedThenPaid"] == 1
    # 6 h, four decisions at once of which two ended a job, and a day of silence.
    assert as_requester["hoursToDecide"] == {"median": 0.0, "p90": 24.0}
    assert record(bob)["asWorker"] == {
        "claimed": 7,
        "submitted": 5,
        "paid": 3,
        "rejectedThenPaid": 1,
        "rejected": 2,
        "abandoned": 2,
        "expired": 0,
        "hoursToSubmit": 0.0,
    }
    assert record(bob)["counterparties"] == record(ada)["counterparties"] == 1
    assert record(ada)["since"] == stoa.get(f"agents/{ada.id}").ok()["agent"]["createdAt"]


def test_a_record_counts_what_the_deadline_ended_and_what_goes_on(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job_in("SUBMITTED", ada, bob)
    job_in("CLAIMED", ada, bob)
    offer(ada)
    assert record(ada)["asRequester"]["jobs"] == 3
    assert record(bob)["asWorker"]["claimed"] == 2
    stoa.clock.advance(jobs.TTL)
    sweep_and_compare(stoa, ada, bob)
    told = record(ada)["asRequester"]
    assert (told["jobs"], told["undecided"], told["paid"]) == (3, 1, 0)
    told = record(bob)["asWorker"]
    assert (told["claimed"], told["submitted"], told["expired"]) == (2, 1, 1)


def test_bounties_and_answers_are_in_the_record(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    ada.thread("Another", bountyCredits=5)
    bob.reply(thread, "Perhaps.")
    ada.accept(thread, bob.reply(thread, "So.")).ok()
    stoa.clock.advance(200 * HOUR)
    sweep_and_compare(stoa, ada, bob)
    told = record(ada)["asRequester"]
    assert (told["bounties"], told["bountiesPaid"], told["jobs"]) == (2, 1, 0)
    assert record(bob)["asAnswerer"] == {
        "answers": 2,
        "accepted": 1,
        "worked": 0,
        "workedWithChanges": 0,
        "didNotWork": 0,
    }


def requester_of(offered: Any, reader: Agent, path: str = "opportunities") -> Any:
    """What an open job or thread says there of how its requester has decided."""
    rows = reader.get(path).ok()["opportunities"]
    return next(row.get("requester") for row in rows if row["id"] == offered["id"])


@pytest.mark.promise("C54")
def test_what_is_offered_says_how_its_requester_has_decided(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, 3)
    thread = ada.thread(bountyCredits=1)

    def requesters(path: str = "opportunities") -> list[Any]:
        return [requester_of(one, bob, path) for one in (job, thread)]

    new = {"paid": 0, "undecided": 0, "rejected": 0, "hoursToDecide": None, "standing": 0}
    for path in ("opportunities", "opportunities/recommended"):
        assert requesters(path) == [new, new]
        assert requesters(f"{path}?view=lean") == [None, None]
    work = job_in("SUBMITTED", ada, stoa.agent("cy"))
    stoa.clock.advance(3 * HOUR)
    done(ada, work, "accept")
    told = {"paid": 1, "undecided": 0, "rejected": 0, "hoursToDecide": 3.0, "standing": 0}
    for path in ("opportunities", "opportunities/recommended"):
        assert requesters(path) == [told, told]
        assert requesters(f"{path}?view=lean") == 2 * [{"paid": 1, "hoursToDecide": 3.0}]
    lean = {"paid": 0, "rejected": 0, "abandoned": 0, "expired": 0, "standing": 0}
    done(bob, job, "claim")
    assert read(job, stoa)["worker"] == {**lean, "hoursToSubmit": None}
    assert stoa.get(f"jobs/{job['id']}?view=lean").ok()["job"]["worker"] == lean
    done(bob, job, "submit")
    done(ada, job, "accept")
    assert "worker" not in read(job, stoa)
    chosen = offer(ada, terms={"assignment": "chosen"})
    act(bob, chosen, "apply", {"message": "Me."}).ok()
    [row] = ada.get(f"jobs/{chosen['id']}/applications").ok()["applications"]
    assert row["worker"] == {**lean, "paid": 1, "hoursToSubmit": 0.0}
    assert record(bob, "lean")["asWorker"]["abandoned"] == 0


def test_the_shortest_claim_of_all_has_a_mark_if_it_is_lost(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    done(bob, offer(ada, terms={"claimHours": 0.25}), "claim")
    stoa.clock.advance(15 * MINUTE)
    assert record(bob)["asWorker"]["abandoned"] == 1
    sweep_and_compare(stoa, ada, bob)


def test_an_assigned_worker_gives_back_in_time_or_late_without_a_mark(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms={"assignment": "chosen"})
    act(bob, job, "apply", {"message": "Me."}).ok()
    act(ada, job, "assign", {"agentId": bob.id}).ok()
    stoa.clock.advance(HOUR)
    done(bob, job, "release")
    told = record(bob)["asWorker"]
    assert (told["claimed"], told["abandoned"]) == (1, 0)
    assert broken(stoa.settings) == {}


def test_an_assigned_worker_that_lets_its_claim_end_has_a_mark(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms={"assignment": "chosen", "claimHours": 2})
    act(bob, job, "apply", {"message": "Me."}).ok()
    act(ada, job, "assign", {"agentId": bob.id}).ok()
    stoa.clock.advance(2 * HOUR)
    assert record(bob)["asWorker"]["abandoned"] == 1
    sweep_and_compare(stoa, ada, bob)


def test_the_hours_are_those_of_the_last_hundred(stoa: App, ada: Agent, bob: Agent) -> None:
    slow = job_in("SUBMITTED", ada, bob, reward=1)
    stoa.clock.advance(10 * HOUR)
    done(ada, slow, "accept")
    assert record(ada)["asRequester"]["hoursToDecide"]["median"] == 10
    kept = "UPDATE record SET durations = ? WHERE kind = 'decision'"
    stoa.sql(kept, "00036000" + "00007200" * 98 + "00360000")
    assert record(ada)["asRequester"]["hoursToDecide"] == {"median": 2.0, "p90": 2.0}
    done(ada, job_in("SUBMITTED", ada, bob, reward=1), "accept")
    [(durations,)] = stoa.sql("SELECT durations FROM record WHERE kind = 'decision'")
    assert durations == "00007200" * 98 + "00360000" + "00000000"
