"""What a new job may say, what its lists are narrowed to, and what each step is charged to."""

from typing import Any

import pytest

from tests.paid.conftest import Shared
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import SECOND

BEER = "\U0001f37a"
ALL_DIFFERENT = "".join(map(chr, range(0x20000, 0x20000 + 20 * 500)))
"""Four bytes each in UTF-8, and as good as not to be compressed."""
GOOD: list[dict[str, Any]] = [
    {"title": BEER * 300},
    {"title": " 5 < 6 & <b>bold</b> \u200d "},
    {"description": BEER * 50_000},
    {"description": "\u202eturned\u202c\x07\r\n\tkept"},
    {"type": "t" * 40},
    {"tags": [f"{number}" + BEER * 39 for number in range(8)]},
    {"tags": ["a", "A", " a ", "b", "c", "d", "e", "f", "g", "h"]},
    {"requirements": ["r" * 500] * 20},
    {"requirements": [ALL_DIFFERENT[number * 500 :][:500] for number in range(20)]},
    {"acceptanceCriteria": [BEER * 500] * 20},
    {"verification": {"requirements": ["v" * 500] * 20}},
    {"verification": {}},
    {"verification": None},
    {"verification": {"type": "requester_acceptance", "requirements": []}},
    {"acceptanceCriteria": ["One:\r\n\t- two\n\t- three\n", "\u202eturned\u202c\x07"]},
    {"effortEstimate": "e" * 200},
    {"effortEstimate": "an hour\nor two\t"},
    {"effortEstimate": None},
]


@pytest.mark.parametrize("fields", GOOD)
def test_a_job_within_its_limits_is_kept_as_sent(shared: Shared, fields: dict[str, Any]) -> None:
    job = jobs.offer(shared.agent("ada"), **fields)
    for name, value in fields.items():
        if name == "description":
            assert job[name]["body"] == value
        elif name == "tags":
            assert job[name] == list(dict.fromkeys(tag.strip().lower() for tag in value))
        elif name == "verification":
            sent: dict[str, Any] = value or {}
            assert job[name]["requirements"] == sent.get("requirements", [])
            assert job[name]["type"] == "requester_acceptance"
        else:
            assert job[name] == value


BAD: list[tuple[dict[str, Any], set[str]]] = [
    ({"title": None}, {"title"}),
    ({"title": ""}, {"title"}),
    ({"title": " \u200b\u3000"}, {"title"}),
    ({"title": "t" * 301}, {"title"}),
    ({"title": 5}, {"title"}),
    ({"title": "two\nlines"}, {"title"}),
    ({"title": "a\u202eb"}, {"title"}),
    ({"title": "a\U000e0041b"}, {"title"}),
    ({"description": None}, {"description"}),
    ({"description": "\n \t"}, {"description"}),
    ({"description": "d" * 50_001}, {"description"}),
    ({"type": ""}, {"type"}),
    ({"type": "t" * 41}, {"type"}),
    ({"type": "a\tb"}, {"type"}),
    ({"tags": "beer"}, {"tags"}),
    ({"tags": [""]}, {"tags.0"}),
    ({"tags": ["a,b"]}, {"tags.0"}),
    ({"tags": ["ok", "t" * 41]}, {"tags.1"}),
    ({"tags": list("123456789")}, {"tags"}),
    ({"tags": ["ok", 5]}, {"tags.1"}),
    ({"requirements": ["ok", "r" * 501]}, {"requirements.1"}),
    ({"requirements": ["r"] * 21}, {"requirements"}),
    ({"requirements": [""]}, {"requirements.0"}),
    ({"requirements": ["a\u2066b"]}, {"requirements.0"}),
    ({"requirements": "r"}, {"requirements"}),
    ({"acceptanceCriteria": ["c" * 501]}, {"acceptanceCriteria.0"}),
    ({"acceptanceCriteria": ["c"] * 21}, {"acceptanceCriteria"}),
    ({"acceptanceCriteria": ["c", "", "\n\t"]}, {"acceptanceCriteria.1", "acceptanceCriteria.2"}),
    ({"acceptanceCriteria": ["c\x00"]}, {"acceptanceCriteria.0"}),
    ({"requirements": ["a\nb"]}, {"requirements.0"}),
    ({"verification": {"requirements": ["a\nb"]}}, {"verification.requirements.0"}),
    ({"effortEstimate": "\n"}, {"effortEstimate"}),
    ({"verification": {"requirements": ["v" * 501]}}, {"verification.requirements.0"}),
    ({"verification": {"requirements": ["v"] * 21}}, {"verification.requirements"}),
    ({"verification": "requester_acceptance"}, {"verification"}),
    ({"effortEstimate": "e" * 201}, {"effortEstimate"}),
    ({"effortEstimate": 5}, {"effortEstimate"}),
    (
        {"title": 5, "type": "", "tags": [1], "deadlineHours": 0, "rewardCredits": -1},
        {"title", "type", "tags.0", "deadlineHours", "rewardCredits"},
    ),
]


@pytest.mark.parametrize(("fields", "paths"), BAD)
@pytest.mark.checks_input
def test_every_broken_limit_of_a_job_is_named(
    shared: Shared, fields: dict[str, Any], paths: set[str]
) -> None:
    ada = shared.agent("ada")
    assert set(ada.post("jobs", {**jobs.new_job(), **fields}).invalid().issues) == paths
    assert jobs.entries(ada) == [("signup_grant", 1_000_000)]


def test_unknown_members_of_inner_objects_are_named_too(shared: Shared) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    inner = {"reward": {"amount": 1, "note": "USD"}, "verification": {"type": "x"}}
    body = {"title": "t", "description": "d", **inner}
    answer = ada.post("jobs", body).ok(201)
    assert set(answer.warnings) == {"reward.note", "verification.type"}
    jobs.done(bob, answer["job"], "claim")
    artifacts = [{"name": "a"}, {"name": "b", "pages": 5}]
    answer = jobs.act(bob, answer["job"], "submit", {"body": "b", "artifacts": artifacts}).ok(201)
    assert set(answer.warnings) == {"artifacts.1.pages"}
    bounty = {"title": "t", "body": "b", "bounty": {"credits": 1, "note": 5}}
    assert set(ada.post("threads", bounty).ok(201).warnings) == {"bounty.note"}


PAST = "2020-01-01T00:00:00Z"
SEVERAL: list[tuple[dict[str, Any], set[str]]] = [
    ({"title": "", "deadline": PAST}, {"title", "deadline"}),
    ({"title": "", "deadline": "nonsense"}, {"title", "deadline"}),
    ({"title": "", "deadline": "2999-01-01T00:00:00Z"}, {"title", "deadline"}),
    ({"title": 5, "deadline": "2999-01-01T00:00:00"}, {"title", "deadline"}),
    ({"rewardCredits": 0.5, "deadline": PAST}, {"rewardCredits", "deadline"}),
    ({"tags": ["a,b"], "deadline": "garbage"}, {"tags.0", "deadline"}),
    ({"tags": ["a,b", 5], "type": "", "deadline": PAST}, {"tags.0", "tags.1", "type", "deadline"}),
    (
        {"rewardCredits": None, "reward": {"amount": 0.5, "asset": "USD"}},
        {"reward.amount", "reward.asset"},
    ),
    ({"deadlineHours": 169, "deadline": PAST}, {"deadlineHours", "deadline"}),
]


@pytest.mark.parametrize(("fields", "paths"), SEVERAL)
@pytest.mark.checks_input
def test_a_deadline_is_told_of_with_the_other_mistakes(
    shared: Shared, fields: dict[str, Any], paths: set[str]
) -> None:
    answer = shared.agent("ada").post("jobs", {**jobs.new_job(), **fields})
    assert set(answer.invalid().issues) == paths


@pytest.mark.settings(job_ttl_seconds=3600)
def test_hours_beyond_what_this_stoa_allows_are_told_of_with_the_other_mistakes(ada: Agent) -> None:
    hours = {"deadlineHours": 1.5}
    answer = ada.post("jobs", {**jobs.new_job(), **hours, "title": ""})
    assert "at most 1 hours" in answer.invalid("title", "deadlineHours").issues["deadlineHours"]
    ada.post("jobs", {**jobs.new_job(), **hours}).invalid("deadlineHours")
    ada.post("jobs", {**jobs.new_job(), "deadlineHours": 1}).ok(201)


def test_every_artifact_is_measured_and_looked_at(shared: Shared) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("CLAIMED", ada, bob)
    artifacts = [
        {"name": "a", "text": "x" * 70_000},
        {"name": "b", "url": "nowhere"},
        {"name": "", "text": "x" * 70_000},
        7,
        {"name": "e"},
    ]
    answer = bob.post(f"jobs/{job['id']}/submit", {"body": "", "artifacts": artifacts})
    named = {"body", "artifacts.0.text", "artifacts.1.url", "artifacts.2.text", "artifacts.2.name"}
    assert set(answer.invalid().issues) == {*named, "artifacts.3"}


def test_nothing_at_all_is_no_job(shared: Shared) -> None:
    for body in (b"", b"{}"):
        answer = shared.agent("ada").post("jobs", body)
        assert set(answer.invalid().issues) == {"title", "description", "reward"}


def test_unknown_fields_of_a_job_are_ignored_and_named(shared: Shared) -> None:
    body = {**jobs.new_job(), "visibility": "all", "status": "COMPLETED"}
    answer = shared.agent("ada").post("jobs", body).ok(201)
    assert set(answer.warnings) == {"visibility", "status"}
    assert answer["job"]["status"] == "OPEN"


@pytest.mark.parametrize("body", ["b" * 50_001, "", " \n", None, 5, ["b"]])
def test_a_submission_needs_a_text_within_its_limit(shared: Shared, body: Any) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("CLAIMED", ada, bob)
    bob.post(f"jobs/{job['id']}/submit", {"body": body}).invalid("body")
    bob.post(f"jobs/{job['id']}/submit", {}).invalid("body")
    bob.post(f"jobs/{job['id']}/submit", {"body": BEER * 50_000}).ok(201)


@pytest.fixture
def listed(stoa: App, ada: Agent, bob: Agent) -> dict[str, str]:
    """Jobs by name: of two creators, with two tags, three of them claimed."""
    cy = stoa.agent("cy")
    made: dict[str, str] = {}
    for name, creator, reward, hours, tags, status in (
        ("a", ada, 3, 20, ["beer"], "OPEN"),
        ("b", ada, 1, 40, ["beer", "wine"], "CLAIMED"),
        ("c", cy, 3, 10, ["wine"], "SUBMITTED"),
        ("d", cy, 2, 30, [], "COMPLETED"),
    ):
        stoa.clock.advance(SECOND)
        more = {"rewardCredits": reward, "deadlineHours": hours, "tags": tags}
        made[jobs.job_in(status, creator, bob, **more)["id"]] = name
    return made


FILTERS = [
    ("", "dcba"),
    ("sort=recent", "dcba"),
    ("sort=reward", "cadb"),
    ("sort=deadline", "cadb"),
    ("status=OPEN", "a"),
    ("status=COMPLETED", "d"),
    ("status=REFUNDED_EXPIRED", ""),
    ("tag=beer", "ba"),
    ("tag=%20WINE%20", "cb"),
    ("tag=nothing", ""),
    ("tag=wine&status=SUBMITTED", "c"),
    ("tag=beer&sort=reward", "ab"),
    ("tag=beer&sort=deadline", "ab"),
    ("creator={ada}", "ba"),
    ("creator={ada}&status=OPEN", "a"),
    ("creator={ada}&sort=reward", "ab"),
    ("creator={bob}", ""),
    ("creator=nonsense", ""),
    ("claimedBy={bob}", "dcb"),
    ("claimedBy={bob}&sort=reward", "cdb"),
    ("claimedBy={bob}&creator={ada}", "b"),
    ("claimedBy={bob}&tag=wine&sort=deadline", "cb"),
    ("claimedBy={ada}", ""),
    ("limit=2", "dc"),
    ("limit=2&offset=2", "ba"),
    ("status=&tag=&creator=&claimedBy=&sort=", "dcba"),
]


def test_jobs_are_listed_by_any_filter_in_any_order(
    stoa: App, ada: Agent, bob: Agent, listed: dict[str, str]
) -> None:
    found: dict[str, str] = {}
    for query, _ in FILTERS:
        answer = stoa.get(f"jobs?{query.format(ada=ada.id, bob=bob.id)}").ok()
        found[query] = "".join(listed[job["id"]] for job in answer["jobs"])
    assert found == dict(FILTERS)


def test_a_listed_job_is_the_job_without_its_submissions(stoa: App, listed: dict[str, str]) -> None:
    for row in stoa.get("jobs").ok()["jobs"]:
        job = jobs.read(row, stoa)
        del job["submissions"], job["timeline"]
        job.pop("worker", None)
        assert row == job


@pytest.mark.parametrize("sort", ["recent", "reward", "deadline"])
def test_pages_of_jobs_show_what_stays_once_while_others_write(
    stoa: App, ada: Agent, bob: Agent, sort: str
) -> None:
    for number in range(9):
        jobs.offer(ada, 1 + number % 3, deadlineHours=1 + number % 4)
    path = f"jobs?sort={sort}&limit=2"
    before = [job["id"] for job in stoa.get(f"jobs?sort={sort}").ok()["jobs"]]
    seen: list[str] = []
    cursor = ""
    while True:
        page = stoa.get(path + cursor).ok()
        seen += [job["id"] for job in page["jobs"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"
        jobs.done(bob, jobs.offer(ada, 2, deadlineHours=2), "claim")
    assert [job_id for job_id in seen if job_id in before] == before
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("status=open", "query.status"),
        ("status=PAID", "query.status"),
        ("sort=oldest", "query.sort"),
        ("tag=a,b", "query.tag"),
        ("limit=0", "query.limit"),
        ("offset=x", "query.offset"),
        ("cursor=x", "query.cursor"),
        ("status=OPEN&status=OPEN", "query.status"),
    ],
)
@pytest.mark.checks_input
def test_bad_filters_of_jobs_are_refused(shared: Shared, query: str, path: str) -> None:
    shared.app.get(f"jobs?{query}").invalid(path)


def test_agents_are_listed_by_reputation(stoa: App, ada: Agent, bob: Agent) -> None:
    cy = stoa.agent("cy")
    jobs.job_in("COMPLETED", ada, cy)
    thread = ada.thread()
    ada.accept(thread, bob.reply(thread)).ok()
    listed = stoa.get("agents?sort=reputation").ok()["agents"]
    assert [(agent["id"], agent["reputationScore"]) for agent in listed] == [
        (cy.id, 20),
        (bob.id, 10),
        (ada.id, 0),
    ]


CHARGES = pytest.mark.settings(
    limit_threads=10, limit_replies=60, limit_accepts=60, limit_reads_agent=600
)


@CHARGES
def test_every_step_of_a_job_is_charged_to_its_bucket(ada: Agent, bob: Agent) -> None:
    created = ada.post("jobs", jobs.new_job()).ok(201)
    assert created.rate == ("threads", 10, 9)
    job = created["job"]
    steps = [(bob, "claim"), (bob, "submit"), (ada, "reject"), (bob, "submit"), (ada, "accept")]
    charged = [jobs.act(agent, job, action).rate for agent, action in steps]
    assert charged == [
        ("reads", 600, 599),
        ("reads", 600, 598),
        ("accepts", 60, 59),
        ("reads", 600, 597),
        ("accepts", 60, 58),
    ]
    assert ada.get("credits/balance").rate == ("reads", 600, 599)
    assert ada.get("opportunities/recommended").rate == ("reads", 600, 598)
    assert ada.post("threads", {"title": "t", "body": "b"}).rate == ("threads", 10, 8)


@CHARGES
def test_a_refused_step_is_charged_to_reads(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob)
    refused = [
        jobs.act(ada, job, "claim"),
        bob.post("jobs", jobs.new_job(1000)),
        bob.post("jobs", {}),
        jobs.act(bob, job, "accept"),
        jobs.act(bob, job, "reject"),
        jobs.act(bob, job, "submit"),
    ]
    assert [answer.status for answer in refused] == [403, 402, 400, 403, 403, 409]
    assert {answer.rate[:2] for answer in refused} == {("reads", 600)}
    assert [answer.rate[2] for answer in refused[1:]] == [597, 596, 595, 594, 593]
    jobs.done(ada, job, "accept")
    assert ada.post("jobs", jobs.new_job()).rate == ("threads", 10, 8)


@CHARGES
def test_the_eleventh_job_or_thread_of_an_hour_waits(stoa: App, ada: Agent) -> None:
    for number in range(10):
        if number % 2:
            jobs.offer(ada, 1)
        else:
            ada.thread()
        stoa.clock.advance(SECOND)
    answer = ada.post("jobs", jobs.new_job(1)).refused(429, "rate_limited")
    assert answer.rate == ("threads", 10, 0)
    assert answer["retryAfter"] == 3590
    stoa.clock.advance(3590 * SECOND)
    ada.sign_in()
    jobs.offer(ada, 1)
