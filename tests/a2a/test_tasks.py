"""Jobs and paid questions as tasks of A2A, from the message that makes them to the decision."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest

from stoa.domain import limits
from stoa.schemas.content import CONTENT_TYPE, WARNING
from tests.support.a2a import A2A, AT_ONCE, problem, said, state
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import MINUTE
from tests.support.jobs import act, done, funds, offer, read
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.loops import LoopTime
from tests.support.moderation import act as act_of_operator
from tests.support.moderation import moderate
from tests.support.oauth import BASE

WORK = {
    "body": "Done.",
    "artifacts": [
        {"name": "notes.txt", "text": "Notes."},
        {"name": "more", "url": "https://example.org/more"},
    ],
}


@pytest.fixture
def hirer(stoa: App, ada: Agent) -> A2A:
    return A2A(stoa, ada)


def job(task: Any) -> dict[str, str]:
    return {"id": task["id"]}


@pytest.mark.promise("T6")
def test_a_job_is_hired_for_judged_and_paid(stoa: App, ada: Agent, bob: Agent, hirer: A2A) -> None:
    task = hirer.hire(25, requirements=["SQLite"])
    before = funds(bob)
    stored = read(job(task), ada)
    assert (stored["description"]["body"], stored["requirements"]) == ("Do it.", ["SQLite"])
    assert (state(task), task["contextId"], task["artifacts"]) == ("SUBMITTED", task["id"], [])
    done(bob, job(task), "claim")
    assert state(hirer.result("GetTask", id=task["id"])) == "WORKING"
    act(bob, job(task), "submit", WORK).ok(201)
    shown = hirer.result("GetTask", id=task["id"])
    assert state(shown) == "INPUT_REQUIRED"
    assert '{"action": "accept"}' in shown["status"]["message"]["parts"][0]["text"]
    (artifact,) = shown["artifacts"]
    body, text, link = artifact["parts"]
    assert (body["text"], text["text"], text["filename"]) == ("Done.", "Notes.", "notes.txt")
    assert link["url"] == "https://example.org/more"
    # Only the two parties see the work.
    assert A2A(stoa, stoa.agent("eve")).result("GetTask", id=task["id"])["artifacts"] == []
    ended = hirer.send({"action": "accept"}, task=task["id"])["task"]
    assert state(ended) == "COMPLETED"
    assert funds(bob)[0] == before[0] + 25
    assert read(job(task), ada)["status"] == "COMPLETED"


def test_an_artifact_with_a_text_and_an_address_shows_both(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    task, address = hirer.hire(), "https://example.org/it"
    done(bob, job(task), "claim")
    long = "x" * 5_000
    handed_in = [
        {"name": name, "text": text, "url": address} for name, text in (("a", "A"), ("b", long))
    ]
    act(bob, job(task), "submit", {"body": "Done.", "artifacts": handed_in}).ok(201)
    (artifact,) = hirer.result("GetTask", id=task["id"])["artifacts"]
    _, short, *links = artifact["parts"]
    assert (short["text"], [one["filename"] for one in links]) == ("A", ["a", "b", "b"])
    first, text_of_b, last = (one["url"] for one in links)
    assert first == last == address
    assert (
        stoa.get(text_of_b.removeprefix(stoa.settings.origin), headers=hirer.headers).text == long
    )


def test_work_is_rejected_once_and_for_all(bob: Agent, hirer: A2A) -> None:
    task = hirer.hire()
    done(bob, job(task), "claim")
    for expected in ("WORKING", "FAILED"):
        act(bob, job(task), "submit", WORK).ok(201)
        data = {"action": "reject", "reasonCode": "incomplete"}
        rejected = hirer.send(data, "A page is missing.", task=task["id"])["task"]
        assert state(rejected) == expected
    assert len(rejected["artifacts"]) == 2
    assert read(job(task), bob)["lastRejectMessage"] == "A page is missing."
    refused = hirer.ask("SendMessage", message=said({"action": "accept"}, task=task["id"]))
    assert problem(refused) == (-32004, "UNSUPPORTED_OPERATION")
    assert refused["error"]["data"][1]["value"]["code"] == "job_already_terminal"
    late = hirer.ask("SendMessage", message=said("Why so?", task=task["id"]))
    assert problem(late) == (-32004, "UNSUPPORTED_OPERATION")


def test_a_question_with_a_bounty_is_a_task_whose_answers_are_artifacts(
    bob: Agent, hirer: A2A
) -> None:
    data = {"title": "How?", "bounty": {"credits": 5}}
    task = hirer.send(data, "Tell me how.")["task"]
    assert state(task) == "SUBMITTED"
    reply = bob.reply({"id": task["id"]}, "Like this.")
    shown = hirer.result("GetTask", id=task["id"])
    assert [one["parts"][0]["text"] for one in shown["artifacts"]] == ["Like this."]
    for told in (*shown["artifacts"], *shown["history"]):
        marks = {name: told["metadata"][name] for name in ("contentType", "warning")}
        assert marks == {"contentType": CONTENT_TYPE, "warning": WARNING}
    answer = {"action": "accept", "replyId": shown["artifacts"][0]["artifactId"]}
    assert answer["replyId"] == reply["id"]
    ended = hirer.send(answer, task=task["id"])["task"]
    assert (state(ended), len(ended["artifacts"])) == ("COMPLETED", 1)


@pytest.mark.settings(**LIMITS_OFF)
@pytest.mark.parametrize("accepted", [0, -1])
def test_all_answers_are_artifacts_and_of_very_many_the_accepted_one(
    stoa: App, bob: Agent, hirer: A2A, accepted: int
) -> None:
    task = hirer.send({"title": "How?", "bounty": {"credits": 5}}, "Tell me how.")["task"]
    thread = {"id": task["id"]}
    said = [bob.reply(thread, f"Like this: {number}.") for number in range(103)]
    act_of_operator(stoa, said[1], "hide")
    bob.post(f"replies/{said[2]['id']}/withdraw").ok()
    shown = hirer.result("GetTask", id=task["id"])
    answers = [said[0]["id"], *(one["id"] for one in said[3:])]
    assert [one["artifactId"] for one in shown["artifacts"]] == answers
    assert "moreAnswers" not in shown["metadata"]
    answers += [bob.reply(thread, "x" * limits.BODY_CHARS)["id"] for _ in range(45)]
    answer = {"action": "accept", "replyId": answers[accepted]}
    ended = hirer.send(answer, task=task["id"])["task"]
    found = [one["artifactId"] for one in ended["artifacts"]]
    behind = answers[accepted:] if accepted < 0 else []
    assert found == [*answers[: len(found) - len(behind)], *behind]
    assert len(found) < len(answers)
    more = ended["metadata"]["moreAnswers"]
    assert stoa.get(more.removeprefix(BASE)).status == 200


def test_a_text_is_a_question_whose_thread_the_answer_names(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    text = f"How do I\tback up?\n\n{'It is large. ' * 100}"
    message = hirer.send(text)["message"]
    thread = stoa.get(f"threads/{message['contextId']}").ok()["thread"]
    assert (thread["title"], thread["body"]["body"]) == ("How do I back up?", text)
    told, data = message["parts"]
    assert thread["id"] in told["text"]
    assert data["data"]["threadId"] == thread["id"]
    assert data["data"]["url"].endswith(f"/forum/threads/{thread['id']}")
    answer = A2A(stoa, bob).send("With the API.", task=thread["id"])["message"]
    assert answer["parts"][1]["data"]["replyId"].startswith("rp_")
    assert problem(hirer.ask("GetTask", id=thread["id"])) == (-32001, "TASK_NOT_FOUND")
    long = hirer.send("x" * 1_000)["message"]
    title = stoa.get(f"threads/{long['contextId']}").ok()["thread"]["title"]
    assert len(title) == limits.TITLE_CHARS


def test_an_answer_without_a_bounty_is_accepted_and_the_message_says_so(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    asked = [hirer.send("How?"), hirer.send({"title": "How?", "bounty": {"credits": 0}}, "Tell.")]
    for one in asked:
        thread = one["message"]["contextId"]
        reply = bob.reply({"id": thread}, "Like this.")["id"]
        told, data = hirer.send({"action": "accept", "replyId": reply}, task=thread)["message"][
            "parts"
        ]
        assert reply in told["text"]
        assert data["data"] == {"threadId": thread, "replyId": reply}
        assert stoa.get(f"threads/{thread}").ok()["thread"]["acceptedReplyId"] == reply


@pytest.mark.settings(bounty_ttl_seconds=60)
def test_an_answer_that_is_accepted_when_the_bounty_has_come_back_is_no_failure(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    task = hirer.send({"title": "How?", "bounty": {"credits": 5}}, "Tell me how.")["task"]
    reply = bob.reply({"id": task["id"]}, "Like this.")["id"]
    stoa.clock.advance(MINUTE)
    answer = hirer.send({"action": "accept", "replyId": reply}, task=task["id"])
    assert "so none was paid" in answer["message"]["parts"][0]["text"]
    assert state(hirer.result("GetTask", id=task["id"])) == "FAILED"
    assert stoa.get(f"threads/{task['id']}").ok()["thread"]["acceptedReplyId"] == reply


def test_a_text_to_a_job_is_a_message_to_its_other_party(bob: Agent, hirer: A2A) -> None:
    task = hirer.hire()
    told = [hirer.send("Who can?", task=task["id"])["message"]]
    done(bob, job(task), "claim")
    told.append(hirer.send("Hurry, please.", task=task["id"])["message"])
    rows = bob.get(f"jobs/{task['id']}/messages").ok()["messages"]
    assert [row["body"]["body"] for row in rows] == ["Who can?", "Hurry, please."]
    assert [one["parts"][1]["data"]["to"] for one in told] == ["everyone", "parties"]
    assert "for everyone to read" in told[0]["parts"][0]["text"]
    assert "its two parties alone" in told[1]["parts"][0]["text"]


def test_a_text_beside_an_acceptance_is_not_left_out_in_silence(bob: Agent, hirer: A2A) -> None:
    task = hirer.hire()
    done(bob, job(task), "claim", "submit")
    ended = hirer.send({"action": "accept"}, "Thanks, but add a page.", task=task["id"])["task"]
    assert state(ended) == "COMPLETED"
    [warning] = ended["metadata"]["warnings"]
    assert warning["path"] == "message.parts.data.message"


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("length", [-1, "all"])
def test_a_wrong_length_of_the_history_is_said_before_anything_is_done(
    stoa: App, hirer: A2A, length: Any
) -> None:
    configuration = {**AT_ONCE, "historyLength": length}
    offer = said({"title": "A job", "reward": {"amount": 10}}, "Do it.")
    refused = hirer.ask("SendMessage", message=offer, configuration=configuration)
    assert problem(refused)[0] == -32602
    assert stoa.get("jobs").ok()["jobs"] == []


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("name", ["dryRun", "dry_run", "dryrun"])
def test_a_message_that_asks_for_a_dry_run_is_not_carried_out(
    stoa: App, hirer: A2A, name: str
) -> None:
    offer = said({"title": "A job", "reward": {"amount": 10}, name: True}, "Do it.")
    refused = hirer.ask("SendMessage", message=offer, configuration=AT_ONCE)
    assert problem(refused)[0] == -32602
    assert "no dry run" in refused["error"]["message"]
    assert stoa.get("jobs").ok()["jobs"] == []


@pytest.mark.promise("T7")
def test_a_message_that_is_sent_again_is_done_once(stoa: App, ada: Agent, hirer: A2A) -> None:
    message = said({"title": "A job", "reward": {"amount": 10}}, "Do it.")
    first, second = (
        hirer.ask("SendMessage", message=message, configuration={"returnImmediately": True})
        for _ in range(2)
    )
    assert first["result"] == second["result"]
    assert second.headers["idempotent-replayed"] == "true"
    assert len(stoa.get("jobs").ok()["jobs"]) == 1


@pytest.mark.costly
@pytest.mark.settings(**LIMITS_OFF)
def test_a_message_of_which_only_the_short_answer_is_stored_is_done_once(
    stoa: App, ada: Agent, bob: Agent, hirer: A2A
) -> None:
    long = "\U0001f989" * limits.BODY_CHARS
    thread = bob.thread()
    for number in range(1 + limits.ANSWERS_KEPT_BYTES // len(long.encode())):
        key = {"Idempotency-Key": str(number)}
        ada.post("threads", {"title": "Much", "body": long}, headers=key).ok(201)
    offers = [{"reward": {"amount": 10}}, {"bounty": {"credits": 5}}]
    for data in offers:
        message = said({"title": "How?", **data}, long)
        first, again = (
            hirer.result("SendMessage", message=message, configuration=AT_ONCE)["task"]
            for _ in range(2)
        )
        assert (first["id"], state(first)) == (again["id"], state(again))
    for context, text in ((None, long), (thread["id"], long)):
        message = said(text, task=context)
        first, again = (hirer.result("SendMessage", message=message)["message"] for _ in range(2))
        assert first["contextId"] == again["contextId"]
        assert first["parts"][1]["data"].get("replyId", first["contextId"]) in str(again["parts"])


@pytest.mark.settings(limit_threads=1)
def test_a_full_bucket_does_not_stop_a_message_that_is_sent_again(
    stoa: App, ada: Agent, hirer: A2A
) -> None:
    wanted = said({"title": "A job", "reward": {"amount": 10}}, "Do it.", messageId="one")
    other = said({"title": "Another", "reward": {"amount": 10}}, "Do it.", messageId="one")
    first = hirer.ask("SendMessage", message=wanted, configuration=AT_ONCE).ok()
    again = hirer.ask("SendMessage", message=wanted, configuration=AT_ONCE).ok()
    assert (again["result"], again.headers["idempotent-replayed"]) == (first["result"], "true")
    assert problem(hirer.ask("SendMessage", message=other, configuration=AT_ONCE))[0] < 0
    assert len(stoa.get("jobs").ok()["jobs"]) == 1


def test_a_job_is_cancelled_while_nobody_has_claimed_it(ada: Agent, bob: Agent, hirer: A2A) -> None:
    task, taken = hirer.hire(), hirer.hire()
    assert state(hirer.result("CancelTask", id=task["id"])) == "CANCELED"
    assert state(hirer.result("GetTask", id=task["id"])) == "CANCELED"
    done(bob, job(taken), "claim")
    for one in (task, taken):
        assert problem(hirer.ask("CancelTask", id=one["id"])) == (-32002, "TASK_NOT_CANCELABLE")


def test_an_expired_job_is_a_failed_task_that_says_why(stoa: App, ada: Agent, hirer: A2A) -> None:
    task = hirer.hire(deadlineHours=1)
    stoa.clock.advance(limits.HOUR_MS)
    shown = A2A(stoa).result("GetTask", id=task["id"])
    assert state(shown) == "FAILED"
    assert "deadline" in shown["status"]["message"]["parts"][0]["text"]


def why(task: Any) -> str:
    """What the status of a task says."""
    return task["status"]["message"]["parts"][0]["text"]


def test_a_failed_task_does_not_tell_of_what_never_happened(
    stoa: App, ada: Agent, bob: Agent, hirer: A2A
) -> None:
    given_back, ended = hirer.hire(), hirer.hire()
    done(bob, job(given_back), "claim", "submit")
    done(ada, job(given_back), "reject")
    done(bob, job(given_back), "release")
    act_of_operator(stoa, ended["id"], "cancel")
    paid = hirer.send({"title": "A question", "bounty": {"credits": 5}}, "Why?")["task"]
    ada.post(f"threads/{paid['id']}/bounty/withdraw").ok()
    shown = [hirer.result("GetTask", id=one["id"]) for one in (given_back, ended, paid)]
    assert [state(one) for one in shown] == ["FAILED"] * 3
    assert "twice" not in why(shown[0])
    assert "a moderator" in why(shown[1])
    assert "was taken back" in why(shown[2])


@pytest.mark.settings(hold_first=4, admin_keys=[Key("mod").public])
def test_what_waits_for_a_moderator_says_so(stoa: App, hirer: A2A) -> None:
    mod = stoa.agent("mod")
    paid = hirer.send({"title": "A question", "bounty": {"credits": 5}}, "Why?")["task"]
    for task in (hirer.hire(), paid):
        for one in (task, hirer.result("GetTask", id=task["id"])):
            assert (state(one), one["metadata"]["held"]["id"]) == ("SUBMITTED", task["id"])
            assert why(one).startswith("It waits for a moderator")
        moderate(mod, task, "release").ok()
        shown = hirer.result("GetTask", id=task["id"])
        assert "moderator" not in why(shown)
        assert "held" not in shown["metadata"]
    asked = hirer.send("How?")["message"]
    answered = hirer.send("So.", task=paid["id"])["message"]
    for message in (asked, answered):
        told, data = message["parts"]
        assert "waits for a moderator" in told["text"]
        assert data["data"]["held"]["until"]


def test_tasks_are_listed_page_by_page_for_their_client_alone(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    made = [hirer.hire()]
    for data in ({"title": "How?", "bounty": {"credits": 5}, "body": "Tell."}, None):
        stoa.clock.advance(1_000)
        made.append(hirer.send(data)["task"] if data else hirer.hire())
    hirer.send("A question without a bounty is no task.")
    A2A(stoa, bob).hire()
    first = hirer.result("ListTasks", pageSize=2)
    assert (first["totalSize"], first["pageSize"]) == (3, 2)
    second = hirer.result("ListTasks", pageSize=2, pageToken=first["nextPageToken"])
    assert second["nextPageToken"] == ""
    listed = [one["id"] for one in (*first["tasks"], *second["tasks"])]
    assert listed == [one["id"] for one in reversed(made)]
    stoa.clock.advance(1_000)
    done(bob, job(made[0]), "claim")
    third = hirer.result("ListTasks", pageSize=2, pageToken=first["nextPageToken"])
    assert third["tasks"] == []  # what changed since stands before the first page
    newest = hirer.result("ListTasks", pageSize=1)["tasks"][0]
    read = hirer.result("GetTask", id=made[0]["id"])
    assert (newest["id"], newest["status"]) == (read["id"], read["status"])
    assert state(newest) == "WORKING"
    assert all("artifacts" not in one for one in first["tasks"])
    whole = hirer.result("ListTasks", includeArtifacts=True, historyLength=0)
    assert all(one["artifacts"] == [] == one["history"] for one in whole["tasks"])
    assert hirer.result("ListTasks", status="TASK_STATE_COMPLETED")["tasks"] == []
    only = hirer.result("ListTasks", contextId=made[1]["id"])["tasks"]
    assert [one["id"] for one in only] == [made[1]["id"]]


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_page_of_long_tasks_ends_early_and_the_next_one_goes_on(
    hirer: A2A, ada: Agent, *, whole: bool
) -> None:
    made = [offer(ada, 1, description="\U00020000" * 50_000)["id"] for _ in range(8)]
    found: list[str] = []
    token = ""
    while token or not found:
        answer = hirer.ask("ListTasks", includeArtifacts=whole, pageToken=token).ok()
        assert len(answer.content) < 1_200_000
        page = answer["result"]
        found += [one["id"] for one in page["tasks"]]
        assert page["totalSize"] == 8
        token = page["nextPageToken"]
    assert found == made[::-1]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_long_texts_leave_no_task_out_of_the_list(hirer: A2A, ada: Agent) -> None:
    long = "\U00020000" * 50_000
    for _ in range(55):
        offer(ada, 1, description=long)
    listed = hirer.result("ListTasks", pageSize=100, historyLength=0)
    assert (listed["totalSize"], len(listed["tasks"])) == (55, 55)
    (task,) = hirer.result("ListTasks", pageSize=1)["tasks"]
    assert task["history"][0]["parts"][1]["text"] == long


def test_tasks_are_listed_from_a_time_on_however_it_is_written(stoa: App, hirer: A2A) -> None:
    stoa.clock.advance(1_500 - stoa.clock.now % 1_000)  # half a second behind a whole one
    made = hirer.hire()
    at = made["status"]["timestamp"]
    assert at.endswith(".500Z")
    second = at.removesuffix(".500Z")
    for after in (at, f"{second}Z", f"{second}.000000Z", f"{second}.4+00:00"):
        listed = hirer.result("ListTasks", statusTimestampAfter=after)["tasks"]
        assert [one["id"] for one in listed] == [made["id"]], after
    for after in (f"{second}.501Z", f"{second[:-9]}T23:59:59-23:00"):
        assert hirer.result("ListTasks", statusTimestampAfter=after)["tasks"] == [], after


@pytest.mark.promise("T8")
def test_a_message_is_answered_when_it_is_the_clients_turn(
    stoa: App, bob: Agent, hirer: A2A
) -> None:
    message = said({"title": "A job", "reward": {"amount": 10}}, "Do it.")
    answer = at_once(stoa, hirer.asking("SendMessage", message=message), work(bob))
    task = answer["result"]["task"]
    assert (state(task), len(task["artifacts"])) == ("INPUT_REQUIRED", 1)


def test_a_message_is_answered_after_a_while_though_nobody_works(stoa: App, hirer: A2A) -> None:
    async def wait() -> None:
        while not any(one.waiting.asleep for one in stoa.processes):  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0)
        LoopTime(asyncio.get_running_loop()).ahead_s = limits.TASK_WAIT_MS / 1000

    message = said({"title": "A job", "reward": {"amount": 10}}, "Do it.")
    answer = at_once(stoa, hirer.asking("SendMessage", message=message), wait())
    assert state(answer["result"]["task"]) == "SUBMITTED"


@pytest.mark.parametrize("method", ["SendStreamingMessage", "SubscribeToTask"])
def test_what_changes_in_a_task_is_streamed(stoa: App, bob: Agent, hirer: A2A, method: str) -> None:
    params: dict[str, Any] = {"message": said({"title": "J", "reward": {"amount": 1}}, "Do it.")}
    if method == "SubscribeToTask":
        params = {"id": hirer.hire()["id"]}

    async def work_and_end() -> None:
        named = await work(bob)
        if method == "SubscribeToTask":
            # The end comes only once the stream waits: it would be refused after the end.
            while not any(one.waiting.asleep for one in stoa.processes):  # noqa: ASYNC110
                await asyncio.sleep(0)
            path = f"jobs/{named}/reject"
            for _ in range(2):
                told = {"reasonCode": "incomplete"}
                await stoa.ask("POST", path, told, headers=hirer.headers)
                path_of_work = f"jobs/{named}/submit"
                await stoa.ask("POST", path_of_work, WORK, headers=bob.headers)

    answer = at_once(stoa, hirer.asking(method, **params), work_and_end())
    lines = answer.text.split("\n\n")
    results = [answer_of(line) for line in lines if line.startswith("data: ")]
    assert "task" in results[0]
    updates = [one["statusUpdate"] for one in results if "statusUpdate" in one]
    last = {"SendStreamingMessage": "INPUT_REQUIRED", "SubscribeToTask": "FAILED"}[method]
    assert state(updates[-1]) == last
    assert any("artifactUpdate" in one for one in results)


def answer_of(line: str) -> Any:
    """The result in an event."""
    return json.loads(line.removeprefix("data: "))["result"]


async def work(worker: Agent) -> str:
    """Claim the first job, once there is one, and submit its work; the id of the job."""
    made = await worker.app.ask("GET", "events?kinds=job.created&wait=30")
    named = made["events"][0]["jobId"]
    for action in ("claim", "submit"):
        path = f"jobs/{named}/{action}"
        answer = await worker.app.ask("POST", path, WORK, headers=worker.headers)
        assert answer.status < 300, answer.text
    return named


def at_once(app: App, asked: Coroutine[Any, Any, Answer], work: Coroutine[Any, Any, object]) -> Any:
    """The answer to a request while others work."""
    both: list[Any] = app.together(asked, work)
    return both[0]


@pytest.mark.settings(**{**LIMITS_OFF, "limit_reads_agent": 9})
def test_a_question_is_never_shown_without_its_accepted_answer(
    stoa: App, ada: Agent, bob: Agent, hirer: A2A
) -> None:
    task = hirer.send({"title": "How?", "bounty": {"credits": 5}}, "Tell me how.")["task"]
    replies = [bob.reply({"id": task["id"]}, "x" * limits.BODY_CHARS) for _ in range(60)]
    accepted = replies[-1]["id"]
    ada.post(f"threads/{task['id']}/replies/{accepted}/accept").ok()
    shown: list[bool] = []
    for left in range(1, 8):
        stoa.clock.advance(MINUTE)
        for _ in range(9 - left):
            ada.get("jobs").ok()
        answer = hirer.ask("GetTask", id=task["id"])
        shown.append("result" in answer)
        if shown[-1]:
            artifacts = answer["result"]["artifacts"]
            assert artifacts[-1]["artifactId"] == accepted
            whole = [one["parts"][0]["text"] for one in artifacts[:-1]]
            assert limits.PAGE_BYTES // 2 < len("".join(whole)) < limits.PAGE_BYTES
    assert (shown[0], shown[-1]) == (False, True)
