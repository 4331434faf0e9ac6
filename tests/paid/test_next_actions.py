"""Every next action that is offered can be done, as it is printed, by the one whose turn it is."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stoa.operations.catalog import all_operations
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.faces import Face
from tests.support.moderation import act, suspend

pytestmark = pytest.mark.checks_input

OPERATIONS = {operation.tool: operation for operation in all_operations()}
BODIES: dict[str, Any] = {
    "reply_to_thread": {"body": "More."},
    "create_thread": {"title": "A question", "body": "Who knows?"},
    "submit_job": jobs.WORK,
    "reject_job": jobs.REJECTION,
}
"""What an action needs beside its address."""

Turn = tuple[str, str]
"""An action and by whom."""


def turns(answer: Any) -> list[Turn]:
    """The next actions of an answer."""
    return [(action["action"], action["by"]) for action in answer["nextActions"]]


class People:
    """One agent in each role. In a thread the claimer is the one who answers."""

    def __init__(self, stoa: App) -> None:
        self.stoa = stoa
        self.owner, self.claimer, self.stranger = map(stoa.agent, ("owner", "claimer", "stranger"))
        self.by_role: dict[str, Agent | None] = {
            "owner": self.owner,
            "claimer": self.claimer,
            "stranger": self.stranger,
            "anonymous": None,
        }

    def later(self, hours: int) -> None:
        """Let time pass, and sign in again."""
        self.stoa.clock.advance(hours * HOUR)
        for agent in (self.owner, self.claimer, self.stranger):
            agent.sign_in()

    def lock(self, thread: Any) -> Any:
        """The same thread, locked."""
        act(self.stoa, thread, "lock")
        return thread


@pytest.fixture
def people(stoa: App) -> People:
    """See `People`."""
    return People(stoa)


# --- The states: how each is made, and whose turn each of its actions is.


def fresh(people: People) -> Any:
    return people.owner.thread()


def discussed(people: People) -> Any:
    thread = people.owner.thread()
    people.owner.reply(thread, "I should add something.")
    return thread


def paid(people: People) -> Any:
    return people.owner.thread(bountyCredits=2)


def unanswered_too_long(people: People) -> Any:
    thread = paid(people)
    people.later(73)
    return thread


def answered(people: People) -> Any:
    thread = people.owner.thread(bountyCredits=2)
    people.claimer.reply(thread)
    return thread


def accepted(people: People) -> Any:
    thread = people.owner.thread()
    people.owner.accept(thread, people.claimer.reply(thread)).ok()
    return thread


def locked(people: People) -> Any:
    return people.lock(people.owner.thread(bountyCredits=2))


def locked_with_an_answer(people: People) -> Any:
    return people.lock(answered(people))


def refunded(people: People) -> Any:
    thread = answered(people)
    people.later(73)
    return thread


READ, REPLY, ACCEPT, WITHDRAW = (
    ("get_thread", "anyone"),
    ("reply_to_thread", "anyone"),
    ("accept_reply", "author"),
    ("withdraw_bounty", "author"),
)
THREADS: list[tuple[Callable[[People], Any], list[Turn]]] = [
    (fresh, [READ, REPLY]),
    (discussed, [READ, REPLY]),
    (paid, [READ, REPLY, WITHDRAW]),
    (unanswered_too_long, [READ, REPLY]),
    (answered, [READ, REPLY, ACCEPT]),
    (accepted, [READ, REPLY]),
    (locked, [READ, WITHDRAW]),
    (locked_with_an_answer, [READ, ACCEPT]),
    (refunded, [READ, REPLY, ACCEPT]),
]
JOBS: dict[str, list[Turn]] = {
    "OPEN": [("claim_job", "anyone"), ("cancel_job", "creator")],
    "CLAIMED": [("submit_job", "claimer")],
    "SUBMITTED": [
        ("get_job_submissions", "creator"),
        ("accept_job", "creator"),
        ("reject_job", "creator"),
    ],
    "REJECTED_REVISION_ALLOWED": [("submit_job", "claimer")],
    "COMPLETED": [],
    "REJECTED_TERMINAL": [],
    "REFUNDED_EXPIRED": [],
}
assert set(JOBS) == set(jobs.STATUSES)

ROLES = ("owner", "claimer", "stranger", "anonymous")
OWN = {"owner": {"author", "creator"}, "claimer": {"claimer"}}


def is_own(action: Any, role: str) -> bool:
    """Whether it is the turn of this role. No creator claims their own job."""
    if role == "anonymous" and action["requiresAuth"]:
        return False
    if action["action"] == "claim_job" and role == "owner":
        return False
    return action["by"] in {"anyone"} | OWN.get(role, set())


def do(people: People, role: str, action: Any) -> Any:
    """Do what an action says, as it is printed."""
    caller = people.by_role[role] or people.stoa
    body = BODIES.get(action["action"], {}) if action["method"] == "POST" else None
    arguments = () if body is None else (body,)
    return caller.call(action["method"], action["url"], *arguments)


def arguments_of(action: Any) -> dict[str, Any]:
    """The arguments of the tool that an action names, read off its address."""
    operation = OPERATIONS[action["action"]]
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/?]+)", re.escape(operation.path))
    path, _, query = action["url"].partition("?")
    found = re.fullmatch(pattern, path)
    assert found, (action, pattern)
    asked = dict(pair.split("=") for pair in query.split("&") if pair)
    return {**found.groupdict(), **asked, **BODIES.get(action["action"], {})}


def offered(people: People, make: Callable[[People], Any], path: str, role: str) -> Iterator[Any]:
    """Each next action of a state, with the state made anew for it."""
    reader = people.by_role[role] or people.stoa
    count = len(reader.get(f"{path}/{make(people)['id']}").ok()["nextActions"])
    for place in range(count):
        answer = reader.get(f"{path}/{make(people)['id']}").ok()
        (name,) = {"thread", "job"} & set(answer)
        assert answer["nextActions"] == answer[name]["nextActions"]
        yield answer["nextActions"][place]


def check(people: People, make: Callable[[People], Any], path: str, role: str) -> list[Turn]:
    """What is offered is accepted of those whose turn it is and, as the control, of no others."""
    found: list[Turn] = []
    for action in offered(people, make, path, role):
        found.append((action["action"], action["by"]))
        done = do(people, role, action)
        if is_own(action, role):
            assert done.status in (200, 201), (action, done.content)
        elif role == "anonymous" and action["method"] == "POST":
            done.refused(401, "missing_bearer_token")
        elif action["method"] == "POST":
            assert done.status == 403, (action, done.content)
    return found


@pytest.mark.promise("Q12")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("make", "expected"), THREADS, ids=[make.__name__ for make, _ in THREADS])
def test_what_a_thread_offers_is_taken_from_those_whose_turn_it_is(
    people: People, make: Callable[[People], Any], expected: list[Turn], role: str
) -> None:
    assert check(people, make, "threads", role) == expected


@pytest.mark.promise("Q13")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("status", jobs.STATUSES)
def test_what_a_job_offers_is_taken_from_those_whose_turn_it_is(
    people: People, status: str, role: str
) -> None:
    def make(people: People) -> Any:
        job = jobs.job_in(status, people.owner, people.claimer, rewardCredits=1)
        people.later(0)
        return job

    assert check(people, make, "jobs", role) == [("get_job", "anyone"), *JOBS[status]]


def test_each_action_is_a_tool_that_its_address_gives_the_arguments_of(
    people: People, face: Face
) -> None:
    job = jobs.job_in("SUBMITTED", people.owner, people.claimer)
    for answer in (
        people.stoa.get(f"threads/{answered(people)['id']}").ok(),
        people.stoa.get(f"jobs/{job['id']}").ok(),
    ):
        # The last one, a rejection, would not follow the acceptance before it.
        for action in answer["nextActions"][:4]:
            if action["action"] != "reject_job":
                status = OPERATIONS[action["action"]].status
                face.call(action["action"], arguments_of(action), people.owner).ok(status)


# --- After a write.


def written(people: People, face: Face) -> Iterator[tuple[str, Agent, str, Any]]:
    """Each write that is answered with next actions: its tool, who did it as what, the answer."""
    owner, claimer = people.owner, people.claimer

    def call(agent: Agent, role: str, tool: str, **values: Any) -> tuple[str, Agent, str, Any]:
        answer = face.call(tool, values, agent).ok(OPERATIONS[tool].status)
        return tool, agent, role, answer.json

    made = call(owner, "author", "create_thread", title="Why?", body="Who knows?")
    yield made
    thread = made[3]["thread"]["id"]
    replied = call(claimer, "replier", "reply_to_thread", threadId=thread, body="Because.")
    yield replied
    yield call(owner, "replier", "reply_to_thread", threadId=thread, body="Really?")
    reply = replied[3]["reply"]["id"]
    yield call(owner, "author", "accept_reply", threadId=thread, replyId=reply)
    for decision in ("accept_job", "reject_job"):
        made = call(owner, "creator", "create_job", **jobs.new_job(1))
        yield made
        job = made[3]["job"]["id"]
        yield call(claimer, "claimer", "claim_job", jobId=job)
        yield call(claimer, "claimer", "claim_job", jobId=job)
        yield call(claimer, "claimer", "submit_job", jobId=job, **jobs.WORK)
        rejection = jobs.REJECTION if decision == "reject_job" else {}
        yield call(owner, "creator", decision, jobId=job, **rejection)


JOB_READ, INBOX = ("get_job", "anyone"), ("get_inbox", "anyone")
CREATED = [JOB_READ, INBOX, ("cancel_job", "creator"), ("claim_job", "anyone")]
AFTER: list[tuple[str, list[Turn]]] = [
    ("create_thread", [READ, INBOX, REPLY]),
    ("reply_to_thread", [READ, INBOX, ACCEPT]),
    ("reply_to_thread", [READ, INBOX]),
    ("accept_reply", [READ, REPLY]),
    ("create_job", CREATED),
    ("claim_job", [("submit_job", "claimer"), JOB_READ]),
    ("claim_job", [("submit_job", "claimer"), JOB_READ]),
    ("submit_job", [JOB_READ, INBOX, *JOBS["SUBMITTED"]]),
    ("accept_job", [JOB_READ]),
    ("create_job", CREATED),
    ("claim_job", [("submit_job", "claimer"), JOB_READ]),
    ("claim_job", [("submit_job", "claimer"), JOB_READ]),
    ("submit_job", [JOB_READ, INBOX, *JOBS["SUBMITTED"]]),
    ("reject_job", [JOB_READ, INBOX, ("submit_job", "claimer")]),
]


@pytest.mark.promise("Q14")
def test_the_answer_to_a_write_begins_with_what_its_caller_can_do(
    people: People, face: Face
) -> None:
    seen: list[tuple[str, list[Turn]]] = []
    for tool, agent, role, answer in written(people, face):
        seen.append((tool, turns(answer)))
        own = [
            action["by"] in ("anyone", role)
            and not (action["action"] == "claim_job" and role == "creator")
            for action in answer["nextActions"]
        ]
        assert own == sorted(own, reverse=True), (tool, turns(answer))
        resource = answer.get("job") or answer.get("thread")
        assert resource is None or resource["nextActions"] == answer["nextActions"]
        first = answer["nextActions"][0]
        if first["method"] == "GET":
            face.call(first["action"], arguments_of(first), agent).ok()
    assert seen == AFTER


def test_signing_in_offers_what_a_new_agent_can_do(people: People) -> None:
    offers = people.stranger.signed_in["nextActions"]
    assert {action["by"] for action in offers} == {"anyone"}
    for action in offers:
        assert do(people, "stranger", action).status in (200, 201)


# --- Which replies are offered to be accepted.


def accepts(answer: Any) -> list[str]:
    """The ids of the replies that an answer offers to accept."""
    found = [
        re.fullmatch(r"/api/v1/threads/th_\w+/replies/(rp_\w+)/accept", action["url"])
        for action in answer["nextActions"]
        if action["action"] == "accept_reply"
    ]
    return [match[1] for match in found if match]


def test_the_newest_reply_that_can_be_accepted_is_offered(people: People) -> None:
    thread = people.owner.thread()
    path = f"threads/{thread['id']}"
    assert accepts(people.stoa.get(path).ok()) == []
    people.claimer.reply(thread)
    newest = people.stranger.reply(thread)
    people.owner.reply(thread, "Thank you both.")
    assert accepts(people.stoa.get(path).ok()) == [newest["id"]]
    (row,) = people.stoa.get("threads").ok()["threads"]
    assert accepts(row) == [newest["id"]]


def test_with_replies_beside_it_a_thread_offers_each_that_can_be_accepted(people: People) -> None:
    thread = people.owner.thread()
    first, second = people.claimer.reply(thread), people.stranger.reply(thread)
    people.owner.reply(thread, "Thank you both.")
    path = f"threads/{thread['id']}?include=replies"
    assert accepts(people.stoa.get(path).ok()) == [second["id"], first["id"]]
    newer = [people.claimer.reply(thread)["id"] for _ in range(5)]
    assert accepts(people.stoa.get(path).ok()) == newer[::-1]


def test_the_reply_in_focus_is_the_one_that_is_offered(people: People) -> None:
    thread = people.owner.thread()
    first, second = people.claimer.reply(thread), people.stranger.reply(thread)
    for reply in (first, second):
        focus = people.stoa.get(f"replies/{reply['id']}").ok()
        assert accepts(focus["thread"]) == [reply["id"]]


def test_a_long_row_of_the_authors_own_replies_hides_no_answer(people: People) -> None:
    thread = people.owner.thread()
    answer = people.claimer.reply(thread)
    for _ in range(120):
        people.owner.reply(thread, "And another thing.")
    assert accepts(people.stoa.get(f"threads/{thread['id']}").ok()) == [answer["id"]]


def test_only_reads_that_show_parties_more_ask_for_a_token(people: People) -> None:
    job = jobs.offer(people.owner)

    def signed() -> bool:
        read = people.stoa.get(f"jobs/{job['id']}").ok()["nextActions"][0]
        assert read["action"] == "get_job"
        return read["requiresAuth"]

    jobs.done(people.claimer, job, "claim")
    assert signed() is False
    jobs.done(people.claimer, job, "submit")
    assert signed() is True


# --- The lean form, which names what its reader can do.


def lean(agent: Agent | App, job: Any) -> list[str]:
    """The next actions of a job as this one reads it."""
    return agent.get(f"jobs/{job['id']}?view=lean").ok().json.get("nextActions", [])


@pytest.mark.parametrize("engine", ["sqlite"])
def test_nobody_is_offered_the_turn_of_another_in_the_lean_form(stoa: App) -> None:
    people = People(stoa)
    owner, worker, stranger = people.owner, people.claimer, people.stranger
    made = owner.post("jobs?view=lean", jobs.new_job(5)).ok(201)
    assert made["nextActions"] == ["get_job", "get_inbox", "cancel_job"]
    job = {"id": made["id"]}
    assert lean(owner, job) == ["get_job", "cancel_job"]
    assert lean(stranger, job) == ["get_job", "claim_job"] == lean(stoa, job)
    claimed = worker.post(f"jobs/{job['id']}/claim?view=lean").ok()
    assert claimed["nextActions"] == ["submit_job", "get_job"]
    assert lean(worker, job) == ["get_job", "submit_job"]
    assert lean(owner, job) == ["get_job"] == lean(stranger, job)
    submitted = worker.post(f"jobs/{job['id']}/submit?view=lean", jobs.WORK).ok(201)
    assert submitted["nextActions"] == ["get_job", "get_inbox"]
    assert lean(worker, job) == ["get_job"] == lean(stranger, job)
    decides = ["get_job", "get_job_submissions", "accept_job", "reject_job"]
    assert lean(owner, job) == decides
    told = owner.get("inbox?view=lean&kinds=job.submitted").ok()["events"]
    assert told[0]["nextActions"] == decides
    rejected = owner.post(f"jobs/{job['id']}/reject?view=lean", jobs.REJECTION).ok()
    assert rejected["nextActions"] == ["get_job", "get_inbox"]
    assert lean(owner, job) == ["get_job"]
    told = worker.get("inbox?view=lean&kinds=job.rejected").ok()["events"]
    assert told[0]["nextActions"] == ["get_job", "submit_job"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_only_the_author_is_offered_to_accept_in_the_lean_form(stoa: App) -> None:
    people = People(stoa)
    asked = {"title": "Why?", "body": "Who knows?", "bountyCredits": 1}
    opened = people.owner.post("threads?view=lean", asked).ok(201)
    offered = ["get_thread", "get_inbox", "reply_to_thread", "withdraw_bounty"]
    assert opened["nextActions"] == offered
    path = f"threads/{opened['id']}"
    answer = people.claimer.post(f"{path}/replies?view=lean", {"body": "Like this."}).ok(201)
    assert answer["nextActions"] == ["get_thread", "get_inbox"]
    for reader in (people.owner, people.stranger, stoa):
        read = reader.get(f"{path}?view=lean&include=replies").ok()
        assert read["nextActions"] == ["get_thread", "reply_to_thread"]
    told = people.owner.get("inbox?view=lean&kinds=reply.created").ok()["events"]
    assert told[0]["nextActions"] == ["get_reply", "reply_to_thread", "accept_reply"]


# --- Offers that their reader cannot take.


def told(agent: Agent, kind: str) -> list[list[str]]:
    """The `nextActions` of each event of this kind in the inbox of an agent."""
    listed = agent.get(f"inbox?kinds={kind}&view=lean").ok()["events"]
    return [event["nextActions"] for event in listed]


def test_who_lost_a_claim_is_not_told_to_claim_again(stoa: App) -> None:
    people = People(stoa)
    worker = people.claimer = stoa.agent("worker", capabilities=["sql"])
    job = jobs.offer(people.owner, tags=["sql"], terms={"claimHours": 1})
    assert told(worker, "job.created") == [["get_job", "claim_job"]]
    jobs.done(worker, job, "claim")
    people.owner.post(f"jobs/{job['id']}/raise", {"rewardCredits": 11}).ok()
    assert told(worker, "job.changed") == [["get_job", "submit_job"]]
    people.later(2)
    assert told(worker, "job.changed") == [["get_job"]]  # the end of the claim is not booked yet
    jobs.sweep(stoa)
    assert lean(worker, job) == lean(people.stranger, job) == ["get_job", "claim_job"]
    assert told(worker, "job.created,job.changed,job.released") == [["get_job"]] * 3
    jobs.act(worker, job, "claim").refused(409, "claim_released")
    late = jobs.act(worker, job, "submit").refused(403, "not_job_claimer")
    assert "claim_job" not in late["recovery"]
    stranger = jobs.act(people.stranger, job, "submit").refused(403, "not_job_claimer")
    assert "claim_job" in stranger["recovery"]
    owner = jobs.act(people.owner, job, "submit").refused(403, "not_job_claimer")
    assert "claim_job" not in owner["recovery"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_worker_can_be_chosen_once_one_applied_and_its_creator_alone_is_told(stoa: App) -> None:
    people = People(stoa)
    owner, worker = people.owner, people.claimer
    job = jobs.offer(owner, terms={"assignment": "chosen"})
    before = ["get_job", "list_applications", "cancel_job"]
    assert lean(owner, job) == before
    jobs.act(worker, job, "apply", {"message": "I can."}).ok()
    now = ["get_job", "list_applications", "assign_job", "cancel_job"]
    assert lean(owner, job) == now
    assert told(owner, "job.applied") == [now]
    for reader in (worker, people.stranger, stoa):
        assert "assign_job" not in reader.get(f"jobs/{job['id']}").ok().text
    assert "assign_job" not in stoa.get("jobs").ok().text
    jobs.act(worker, job, "apply/withdraw").ok()
    assert lean(owner, job) == before
    assert told(owner, "job.applied") == [before]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_agent_is_not_told_to_claim_what_requires_more_than_it_has(stoa: App) -> None:
    people = People(stoa)
    owner = people.owner
    worker = people.claimer = stoa.agent("worker", capabilities=["sql"])
    ordered = ("first", "chosen")
    asked = [
        jobs.offer(owner, tags=["sql"], terms={"assignment": one, "requires": {"completedJobs": 1}})
        for one in ordered
    ]
    terms = {"offeredTo": worker.id, "requires": {"completedJobs": 1}}
    alone = jobs.offer(owner, terms=terms)
    names = ["claim_job", "apply_to_job"]
    assert told(worker, "job.created") == [["get_job"], ["get_job"]]
    # What this agent alone may claim is read by it as it can, told of or not.
    assert told(worker, "job.offered") == [lean(worker, alone)] == [["get_job"]]
    for job, name in zip(asked, names, strict=True):
        # What all may read says what the state allows, never who asks.
        assert lean(worker, job) == lean(stoa, job) == ["get_job", name]
    people.later(25)  # a new agent holds few offers
    jobs.job_in("COMPLETED", owner, worker, rewardCredits=1)
    assert told(worker, "job.created")[:2] == [["get_job", name] for name in names]
    for job, name in zip(asked, names, strict=True):
        assert lean(worker, job) == ["get_job", name]
    assert told(worker, "job.offered") == [lean(worker, alone)] == [["get_job", "claim_job"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_suspended_agent_is_told_what_it_may_still_do(stoa: App) -> None:
    people = People(stoa)
    owner, worker = people.owner, people.claimer
    claimed = jobs.job_in("CLAIMED", owner, worker, rewardCredits=1)
    submitted = jobs.job_in("SUBMITTED", owner, worker, rewardCredits=1)
    paid, unpaid = owner.thread(bountyCredits=1), owner.thread()
    for thread in (paid, unpaid):
        worker.reply(thread)
    jobs.offer(people.stranger)
    for agent in (owner, worker):
        suspend(stoa, agent)
        agent.sign_in()
        assert agent.signed_in["nextActions"] == [
            one for one in people.stranger.signed_in["nextActions"] if one["method"] == "GET"
        ]
        feed = agent.get("opportunities/recommended").ok()["opportunities"]
        assert {one["method"] for row in feed for one in row["nextActions"]} == {"GET"}
        assert agent.signed_in["recommendedOpportunities"] == feed
    decides = ["get_job", "get_job_submissions", "accept_job", "reject_job"]
    assert lean(owner, submitted) == decides
    assert decides in told(owner, "job.submitted")
    assert lean(worker, claimed) == ["get_job"]
    assert told(owner, "reply.created") == [["get_reply", "accept_reply"], ["get_reply"]]
    paths = [f"threads/{one['id']}/replies/{told_reply(owner, one)}" for one in (paid, unpaid)]
    accepted = owner.post(f"{paths[0]}/accept").ok()
    assert [one["action"] for one in accepted["nextActions"]] == ["get_thread"]
    owner.post(f"{paths[1]}/accept").refused(403, "agent_suspended")


def told_reply(agent: Agent, thread: Any) -> str:
    """The id of the reply to a thread that an agent was told of."""
    events = agent.get("inbox?kinds=reply.created").ok()["events"]
    return next(one["subject"]["id"] for one in events if one["threadId"] == thread["id"])


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_answer_to_a_release_offers_no_claim(stoa: App) -> None:
    people = People(stoa)
    job = jobs.offer(people.owner)
    for view in ("", "?view=lean"):
        jobs.done(people.claimer, job, "claim")
        released = people.claimer.post(f"jobs/{job['id']}/release{view}").ok()
        assert "claim_job" not in released.text
        job = jobs.offer(people.owner)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_who_asked_about_a_job_is_told_to_answer_while_it_may(stoa: App) -> None:
    people = People(stoa)
    job = jobs.offer(people.owner)
    path = f"jobs/{job['id']}/messages"
    people.stranger.post(path, {"body": "Which one?"}).ok(201)
    people.owner.post(path, {"body": "The first."}).ok(201)
    assert told(people.stranger, "job.message") == [["list_job_messages", "create_job_message"]]
    jobs.done(people.claimer, job, "claim")
    assert told(people.stranger, "job.message") == [["list_job_messages"]]
    assert told(people.owner, "job.message") == [["list_job_messages", "create_job_message"]]
    people.stranger.post(path, {"body": "Why?"}).refused(403, "messages_closed")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_no_withdrawn_reply_is_told_to_be_accepted(stoa: App) -> None:
    people = People(stoa)
    thread = people.owner.thread()
    reply = people.claimer.reply(thread)
    assert told(people.owner, "reply.created") == [["get_reply", "reply_to_thread", "accept_reply"]]
    people.claimer.post(f"replies/{reply['id']}/withdraw").ok()
    assert told(people.owner, "reply.created") == [["get_reply", "reply_to_thread"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_refusal_of_a_hidden_reply_names_its_thread(stoa: App) -> None:
    people = People(stoa)
    thread = people.owner.thread()
    reply = people.claimer.reply(thread)
    act(stoa, reply, "hide")
    refusal = people.owner.post(f"replies/{reply['id']}/outcomes", {"result": "worked"})
    assert f"/threads/{thread['id']}?" in refusal.refused(410, "removed")["recovery"]
