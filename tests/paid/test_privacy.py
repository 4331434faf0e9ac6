"""Submitted work is for the two parties of a job alone: nothing else that Stoa answers holds it."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from stoa.operations.catalog import all_operations
from stoa.operations.table import Toolset
from tests.support import jobs
from tests.support.a2a import A2A
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.mcp import ERAS, Mcp

CANARY = "canary-5b1f"
ARTIFACT = {
    "name": f"{CANARY}-name",
    "url": f"https://example.com/{CANARY}",
    "mediaType": f"{CANARY}/type",
    "text": f"{CANARY}-text",
}
LONG = {"name": f"{CANARY}-long", "text": f"{CANARY}-text" * 300}
SUBMISSION = {"body": f"My work: {CANARY}-body", "artifacts": [ARTIFACT, LONG]}
QUERIES_OF_ONE = ["", f"q={CANARY}", "include=replies", "include=submissions", "limit=100"]
"""What is asked of a path that names one thing; filters and orders are those of lists."""
REJECTION = {"reasonCode": "other", "message": f"{CANARY}-message"}


class Secrets:
    """Jobs in every state that has submissions, all of whose private texts hold the canary."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.ada, self.bob, self.eve = (
            app.agent(name, capabilities=["beer"]) for name in ("ada", "bob", "eve")
        )
        self.thread = self.eve.thread("About beer", "What about beer?", tags=["beer"])
        self.reply = self.bob.reply(self.thread)
        self.jobs: dict[str, Any] = {}
        for status in ("SUBMITTED", "REJECTED_REVISION_ALLOWED", "COMPLETED", "REJECTED_TERMINAL"):
            job = self.jobs[status] = jobs.offer(self.ada, reward=2, tags=["beer"])
            jobs.done(self.bob, job, "claim")
            self.submit(job)
            if status == "COMPLETED":
                jobs.done(self.ada, job, "accept")
            if status.startswith("REJECTED"):
                jobs.act(self.ada, job, "reject", REJECTION).ok()
            if status == "REJECTED_TERMINAL":
                self.submit(job)
                jobs.act(self.ada, job, "reject", REJECTION).ok()
        self.jobs["REFUNDED_EXPIRED"] = jobs.offer(self.ada, tags=["beer"], deadlineHours=0.5)
        jobs.done(self.bob, self.jobs["REFUNDED_EXPIRED"], "claim")
        self.submit(self.jobs["REFUNDED_EXPIRED"])
        jobs.offer(self.ada, reward=3, tags=["beer"])
        talked = jobs.act(self.ada, self.jobs["SUBMITTED"], "messages", {"body": CANARY}).ok(201)
        self.message, self.receipt = talked["message"], talked["receipt"]
        assert self.message["to"] == "parties"
        app.clock.advance(HOUR // 2)

    def submit(self, job: Any) -> None:
        """Submit work that holds the canary everywhere."""
        jobs.act(self.bob, job, "submit", SUBMISSION).ok(201)

    def values(self) -> dict[str, list[str]]:
        """What can stand in a path."""
        submissions = [
            submission["id"]
            for job in self.jobs.values()
            for submission in jobs.read(job, self.ada)["submissions"]
        ]
        return {
            "jobId": [*(job["id"] for job in self.jobs.values()), *submissions],
            "submissionId": submissions,
            "artifact": ["0", "1"],
            "messageId": [self.message["id"]],
            "outcomeId": [f"out_{'0' * 26}"],
            "receiptId": [self.receipt["id"]],
            "threadId": [self.thread["id"], *(job["id"] for job in self.jobs.values())],
            "replyId": [self.reply["id"], *submissions],
            "agentId": [self.ada.id, self.bob.id, self.eve.id],
            "code": ["7K3QX9AB"],
        }

    def queries(self) -> list[str]:
        """Query strings that reach for the canary; unknown parameters are only warned about."""
        asked = [f"q={CANARY}", f"q=%22{CANARY}-body%22", "q=work", "tags=beer", "tag=beer"]
        filters = [f"creator={self.ada.id}", f"claimedBy={self.bob.id}", f"author={self.bob.id}"]
        orders = [f"sort={sort}" for sort in ("recent", "reward", "deadline", "active")]
        states = [f"status={status}" for status in jobs.STATUSES]
        more = [
            "include=replies",
            "include=submissions",
            "limit=100",
            "types=job",
            "capability=beer",
        ]
        return ["", *asked, *filters, *orders, *states, *more]

    def targets(self) -> Iterator[str]:
        """Every path that can be read, with everything that can stand in it."""
        for operation in all_operations():
            if operation.method == "GET":
                paths = [operation.path]
                for name in operation.path_fields:
                    values = self.values()[name]
                    paths = [p.replace(f"{{{name}}}", value) for p in paths for value in values]
                for query in QUERIES_OF_ONE if operation.path_fields else self.queries():
                    yield from (f"{path}?{query}" if query else path for path in paths)


@pytest.fixture
def secrets(stoa: App) -> Secrets:
    return Secrets(stoa)


@pytest.mark.promise("C10")
@pytest.mark.costly
@pytest.mark.long
def test_no_public_read_shows_submitted_work_to_others(secrets: Secrets) -> None:
    statuses: dict[int, int] = {}
    for target in secrets.targets():
        for reader in (secrets.app, secrets.eve):
            answer = reader.get(target)
            told = answer.text + str(answer.header_list)
            # What was asked for is echoed by search and by links to the next page.
            assert CANARY not in told.replace(f"{CANARY}-body%22", "").replace(
                f'\\"{CANARY}-body\\"', ""
            ).replace(f'"query":"{CANARY}"', "").replace(f"q={CANARY}", ""), target
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
    assert statuses[200] > 300
    # 429: after some wrong pairing codes an agent may try no other.
    assert set(statuses) <= {200, 308, 400, 401, 403, 404, 429}


_LINK = re.compile(r"""(?:href|src)=["']?(/[^"'> ]*)|\]\((/[^)]*)\)|<loc>https?://[^/]*(/[^<]*)""")
SEEDS = [
    *("/", "/jobs", "/agents", "/market", "/opportunities", "/forum", "/forum/search?q=work"),
    *("/openapi.json", "/llms.txt", "/llms-full.txt", "/sitemap.xml", "/robots.txt"),
    *(
        "/forum/unanswered.md",
        "/.well-known/agent-card.json",
        "/agent-client.ts",
        "/agent-client.js",
    ),
]


@pytest.mark.costly
def test_no_page_shows_submitted_work(secrets: Secrets) -> None:
    known, waiting = set(SEEDS), list(SEEDS)
    while waiting:
        path = waiting.pop()
        answer = secrets.app.get(path)
        assert answer.status in (200, 304, 308, 404), path
        assert CANARY not in answer.text, path
        for found in _LINK.findall(answer.text):
            link = unescape(next(filter(None, found))).partition("#")[0]
            if link not in known and not link.startswith("/api/v1/") and len(known) < 500:
                known.add(link)
                waiting.append(link)
    assert {f"/jobs/{job['id']}" for job in secrets.jobs.values()} <= known


def every_tool(client: Mcp) -> list[tuple[str, bool, dict[str, Any]]]:
    """The tools of all sets: name, whether it only reads, and its arguments. What reads comes
    first, and what ends sessions last."""
    listed = client.ask("tools/list").ok()["result"]["tools"]
    tools = [
        (one["name"], one["annotations"]["readOnlyHint"], one["inputSchema"]["properties"])
        for one in listed
    ]
    return sorted(tools, key=lambda tool: (not tool[1], tool[0] == "revoke_sessions"))


def calls_of(secrets: Secrets, tool: str, properties: dict[str, Any]) -> list[dict[str, Any]]:
    """Arguments with everything that can stand in the place of an id, and what a write needs."""
    values = secrets.values() | {"query": ["work", CANARY]}
    values["id"] = [*values["jobId"], *values["replyId"], *values["threadId"]]
    calls: list[dict[str, Any]] = [jobs.BODIES.get(tool.removesuffix("_job"), {})]
    for name in sorted(properties.keys() & values.keys()):
        calls = [{**call, name: value} for call in calls for value in values[name]]
    more = {"include": "replies"} if "include" in properties else {}
    if "q" in properties:
        calls = [{**call, "q": text} for call in calls for text in ("work", CANARY)]
    return [{**call, **more} for call in calls]


@pytest.mark.costly
def test_no_tool_shows_submitted_work_to_others(secrets: Secrets) -> None:
    path = f"/mcp?toolsets={','.join(Toolset)}"
    clients = [Mcp(secrets.app, version, path) for version in ERAS]
    readers = (None, secrets.eve)  # the same data in both eras: each reader speaks one
    answered: Counter[str] = Counter()
    tools = every_tool(clients[0])
    for tool, _, properties in tools:
        for call in calls_of(secrets, tool, properties):
            for client, reader in zip(clients, readers, strict=True):
                signed = {"authorization": f"Bearer {reader.token}"} if reader else {}
                answer = client.call(tool, {**call, **signed})
                assert not told_more(answer.text), (tool, call)
                answered[tool] += not answer.ok()["result"].get("isError", False)
    own = [one.name for one in all_operations() if one.toolsets]
    assert {tool for tool, *_ in tools} == {*own, "search", "fetch"}
    assert answered["get_job"] == 2 * len(secrets.jobs)
    assert answered["fetch"] > answered["search"] > 0
    assert answered["get_job_submissions"] == 0
    assert answered["revoke_sessions"] == 1, "all before it were called with a live token"


def told_more(text: str) -> bool:
    """Whether the canary stands in an answer, but where a search tells what it was asked for."""
    return CANARY in text.replace(f'"query":"{CANARY}"', "").replace(
        f'\\"query\\":\\"{CANARY}\\"', ""
    )


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.costly
def test_no_event_of_mcp_shows_submitted_work_to_others(stoa: App, version: str) -> None:
    client = Mcp(stoa, version)
    types = [one["name"] for one in client.ask("events/list").ok()["result"]["events"]]

    def polled(name: str, cursor: str | None, reader: Agent | None) -> Answer:
        asked = {"name": name, "cursor": cursor, "maxEvents": 100}
        return client.ask("events/poll", asked, reader.headers if reader else {})

    begin = polled("stoa.event", None, None).ok()["result"]["cursor"]
    secrets = Secrets(stoa)
    found: Counter[str] = Counter()
    for name in types:
        for reader in (None, secrets.eve):
            answer = polled(name, begin, reader)
            assert CANARY not in answer.text
            found[name] += len(answer.json.get("result", {}).get("events", ()))
    assert set(types) == {"stoa.event", "stoa.inbox"}
    assert found["stoa.event"] > 20
    assert found["stoa.inbox"] > 0


@pytest.mark.costly
def test_no_task_shows_submitted_work_to_others(secrets: Secrets) -> None:
    numbers = [job["id"] for job in secrets.jobs.values()]
    for reader in (None, secrets.eve, secrets.ada):
        client = A2A(secrets.app, reader)
        read = [client.ask("GetTask", id=number).ok().text for number in numbers]
        read.append(client.ask("ListTasks", includeArtifacts=True).text)
        shown = [CANARY in text for text in read]
        assert all(shown) if reader is secrets.ada else not any(shown)


@pytest.mark.costly
def test_no_write_answers_others_with_submitted_work(secrets: Secrets) -> None:
    for job in secrets.jobs.values():
        for action in ("claim", "submit", "accept", "reject"):
            answer = jobs.act(secrets.eve, job, action)
            assert answer.status in (403, 409)
            assert CANARY not in answer.text
    signed_in = secrets.eve.sign_in()
    assert CANARY not in signed_in.text


def test_both_parties_see_submitted_work_and_why_it_was_rejected(secrets: Secrets) -> None:
    for status, job in secrets.jobs.items():
        for party in (secrets.ada, secrets.bob):
            seen = jobs.read(job, party)
            assert [item["body"]["body"] for item in seen["submissions"]] == [
                SUBMISSION["body"]
            ] * len(seen["submissions"])
            assert seen["submissions"][0]["artifacts"][0] == ARTIFACT
            assert "redacted" not in seen["submissions"][0]
            rejected = status.startswith("REJECTED")
            assert seen["lastRejectMessage"] == (REJECTION["message"] if rejected else None)
            listed = party.get(f"jobs/{job['id']}/submissions").ok()
            assert listed["submissions"] == seen["submissions"]
    assert len(jobs.read(secrets.jobs["REJECTED_TERMINAL"], secrets.bob)["submissions"]) == 2


def test_others_see_that_there_is_work_but_not_what(secrets: Secrets) -> None:
    for job in secrets.jobs.values():
        full = jobs.read(job, secrets.ada)
        for reader in (secrets.app, secrets.eve):
            seen = jobs.read(job, reader)
            assert seen["submissions"] == [
                {
                    **item,
                    "body": {**item["body"], "body": ""},
                    "artifacts": [],
                    "redacted": True,
                }
                for item in full["submissions"]
            ]
            assert seen["lastRejectMessage"] is None
            assert {**seen, "submissions": 0, "lastRejectMessage": 0} == {
                **full,
                "submissions": 0,
                "lastRejectMessage": 0,
            }


def test_lists_show_nobody_why_work_was_rejected(secrets: Secrets) -> None:
    for reader in (secrets.app, secrets.ada, secrets.bob, secrets.eve):
        answer = reader.get("jobs?limit=100").ok()
        assert len(answer["jobs"]) == 6
        assert CANARY not in answer.text
        assert {job["lastRejectMessage"] for job in answer["jobs"]} == {None}


def test_only_the_parties_may_list_submissions(secrets: Secrets) -> None:
    for job in secrets.jobs.values():
        path = f"jobs/{job['id']}/submissions"
        secrets.app.get(path).refused(401, "missing_bearer_token")
        refused = secrets.eve.get(path).refused(403, "submissions_forbidden")
        assert refused.headers["cache-control"] == "no-store"
        assert secrets.ada.get(path).ok().headers["cache-control"] == "no-store"
        assert "etag" not in secrets.ada.get(path).headers


def test_a_claimer_of_before_is_a_party_for_good(secrets: Secrets) -> None:
    job = jobs.read(secrets.jobs["REFUNDED_EXPIRED"], secrets.bob)
    assert job["status"] == "REFUNDED_EXPIRED"
    assert CANARY in job["submissions"][0]["body"]["body"]


def _caching(reader: Agent | App, path: str, **headers: str) -> tuple[Any, ...]:
    answer = reader.get(path, headers=headers)
    names = ("cache-control", "vary", "etag")
    return (answer.status, *(answer.headers.get(name) for name in names))


@pytest.mark.parametrize("status", ["SUBMITTED", "COMPLETED"])
def test_caches_keep_the_two_readings_of_a_job_apart(secrets: Secrets, status: str) -> None:
    path = f"jobs/{secrets.jobs[status]['id']}"
    public = _caching(secrets.app, path)
    assert public[:3] == (200, "public, no-cache", "Authorization")
    other = _caching(secrets.eve, path)
    assert other == (200, "private, no-cache", "Authorization", public[3])
    for party in (secrets.ada, secrets.bob):
        own = _caching(party, path)
        assert own[:3] == (200, "no-store", "Authorization")
        assert own[3] != public[3]
        assert _caching(party, path, **{"If-None-Match": public[3]})[0] == 200
        not_modified = _caching(party, path, **{"If-None-Match": own[3]})
        assert not_modified == (304, "no-store", "Authorization", own[3])
        assert _caching(secrets.app, path, **{"If-None-Match": own[3]})[0] == 200
    assert _caching(secrets.app, path, **{"If-None-Match": public[3]})[0] == 304
    assert _caching(secrets.eve, path, **{"If-None-Match": public[3]})[:3] == (
        304,
        "private, no-cache",
        "Authorization",
    )


def test_a_party_has_an_etag_of_its_own_before_there_is_anything_to_hide(
    stoa: App, ada: Agent
) -> None:
    path = f"jobs/{jobs.offer(ada)['id']}"
    assert _caching(ada, path)[3] != _caching(stoa, path)[3]


def test_only_the_reading_of_one_job_varies_by_token(secrets: Secrets) -> None:
    for path in ("jobs", "opportunities", "market", f"agents/{secrets.ada.id}/reputation"):
        public, own = secrets.app.get(path).ok(), secrets.ada.get(path).ok()
        assert (public.content, public.headers["etag"]) == (own.content, own.headers["etag"])
        assert "vary" not in public.headers
        assert public.headers["cache-control"] == "public, no-cache"
        assert own.headers["cache-control"] == "private, no-cache"


def test_refused_reads_of_a_job_tell_nothing(secrets: Secrets) -> None:
    path = f"jobs/{secrets.jobs['SUBMITTED']['id']}"
    other_end = "y" if secrets.ada.token.endswith("x") else "x"
    for token in ("stoa_x", secrets.ada.token[:-1] + other_end, ""):
        answer = secrets.app.get(path, headers={"Authorization": f"Bearer {token}"})
        answer.refused(401, "invalid_or_expired_token")
        assert CANARY not in answer.text
