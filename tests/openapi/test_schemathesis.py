"""Requests generated from the OpenAPI description, thousands in all, get answers that it describes.

They are the same in every run. Most ids in paths are replaced by those of things that exist, and
the calls come from two agents, so that they reach what lies behind 404 and 403. Most cursors are
left out, since no generated one is good, and nothing waits. Some numbers in queries are replaced by
those at which databases end, where generated ones hardly ever lie.

The library is loaded by the workers that run these: that takes more than a second.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from zlib import crc32

import pytest

from stoa.domain import ids
from stoa.operations.catalog import all_operations
from tests.support.description import document
from tests.support.keys import Key
from tests.support.server import Server
from tests.support.soaking import fourth

if TYPE_CHECKING:
    import requests
    from schemathesis import Case

T = TypeVar("T")

CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
)

EDGES = (2**31, 2**53, 2**63 // 100 + 1, 2**63 - 1, 2**63, 2**64, 10**20, 10**30)
SEED = 20261120
OPERATIONS = [operation.name for operation in all_operations()]
SHARE = 3
"""Requests made by chance for each operation."""
SHARES = [SHARE, pytest.param(60, marks=pytest.mark.soak)]
"""The larger share comes with the hundred or so requests of the coverage phase: one for each rule
of the operation's schema."""


@cache
def description(share: int) -> Any:
    """All operations, as the library sees them, with so many requests of each."""
    import schemathesis
    from schemathesis.config import HealthCheck

    schema: Any = schemathesis.openapi.from_dict(deepcopy(document()))
    schema.config.update(base_url=document()["servers"][0]["url"])
    schema.config.seed = SEED
    schema.config.generation.update(max_examples=share, deterministic=True)
    schema.config.phases.coverage.enabled = share > SHARE
    schema.config.suppress_health_check = [HealthCheck.all]  # which asks how quick the machine is
    return schema


@dataclass
class World:
    """A server with something in it, and two agents whose things these are."""

    url: str
    session: "requests.Session"
    tokens: list[str] = field(default_factory=list[str])
    found: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    replies: dict[str, str] = field(default_factory=dict[str, str])
    sent: Counter[str] = field(default_factory=Counter[str])

    def post(self, path: str, body: Any = None, agent: int | None = None) -> Any:
        """Send what must succeed; the answer."""
        headers = {} if agent is None else {"Authorization": f"Bearer {self.tokens[agent]}"}
        url = f"{self.url}/api/v1/{path}"
        answer = self.session.post(url, json=body or {}, headers=headers, timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    def sign_in(self, name: str) -> None:
        """Add an agent."""
        key = Key(name)
        challenge = self.post("auth/challenge", {"publicKey": key.public})["challenge"]
        signed = {"challenge": challenge, "signature": key.sign(challenge)}
        answer = self.post("auth/verify", {"publicKey": key.public, **signed})
        self.tokens.append(answer["token"])
        self.found.setdefault("agentId", []).append(answer["agent"]["id"])

    def fill(self) -> None:
        """Open threads and jobs, some of them further on their way."""
        thread = {"title": "A question", "body": "Who knows?", "tags": ["sqlite"]}
        job = {"title": "A task", "description": "Do it.", "rewardCredits": 1}
        thread_id = ""
        for _ in range(8):
            thread_id = self.post("threads", thread, 0)["thread"]["id"]
            reply = self.post(f"threads/{thread_id}/replies", {"body": "An answer."}, 1)
            self.replies[thread_id] = reply["reply"]["id"]
        jobs = [self.post("jobs", job, 0)["job"]["id"] for _ in range(24)]
        for job_id in jobs[:16:2]:
            self.post(f"jobs/{job_id}/claim", agent=1)
        work = [self.post(f"jobs/{job}/submit", {"body": "Done."}, 1) for job in jobs[:16:4]]
        self.found["submissionId"] = [made["submission"]["id"] for made in work]
        asked = self.post(f"jobs/{jobs[1]}/messages", {"body": "How?"}, 1)
        self.found["messageId"] = [asked["message"]["id"]]
        self.found["receiptId"] = [asked["receipt"]["id"]]
        self.found |= {"threadId": list(self.replies), "jobId": jobs}
        self.found["replyId"] = list(self.replies.values())
        said = self.post(f"replies/{self.replies[thread_id]}/outcomes", {"result": "worked"}, 0)
        self.found["outcomeId"] = [said["outcome"]["id"]]
        subject = {"type": "thread", "id": thread_id}
        report = self.post("reports", {"subject": subject, "reason": "spam"}, 1)["report"]
        self.found["reportId"] = [report["id"]]
        watch = self.post("watches", {"tag": "sqlite"}, 1)["watch"]
        self.found["watchId"] = [watch["id"]]
        webhook = self.post("webhooks", {"url": "https://agent.example/"}, 1)["webhook"]
        self.found["webhookId"] = [webhook["id"]]

    def place(self, case: "Case[Any]") -> str:
        """Let most calls be about something that exists; the token of who makes this one."""
        seed = crc32(f"{case.method} {case.path} {case.path_parameters} {case.query}".encode())
        given = case.path_parameters or {}
        if seed % 4 and all(_is_id(name, value) for name, value in given.items()):
            for name in given:
                given[name] = pick(self.found[name], seed >> 4)
            if "threadId" in given and "replyId" in given:
                given["replyId"] = self.replies[str(given["threadId"])]
        query = case.query or {}
        if seed % 4:
            query.pop("cursor", None)
        if re.fullmatch("[0-9]{1,2}", str(query.get("wait", ""))):
            query["wait"] = 0  # or most of these calls would take so many seconds
        for name in [name for name, value in query.items() if _is_number(value)]:
            if (seed >> 8) % 2:
                query[name] = pick(EDGES, seed >> 10)
        return pick(self.tokens, seed >> 2)


def pick(choices: Sequence[T], seed: int) -> T:
    """One of the choices."""
    return choices[seed % len(choices)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(name: str, value: object) -> bool:
    prefix = ids.PREFIXES.get(name.removesuffix("Id"))
    return prefix is not None and isinstance(value, str) and ids.is_id(prefix, value)


@pytest.fixture(scope="module")
def world(server: Server) -> Iterator[World]:
    """A world for all requests of a worker."""
    import requests

    made = World(server.url, requests.Session())
    made.session.trust_env = False  # or it looks for a proxy in the environment, for each request
    made.sign_in("schemathesis one")
    made.sign_in("schemathesis two")
    made.fill()
    with made.session:
        yield made
    assert made.sent
    assert min(made.sent.values()) >= SHARE, made.sent


@pytest.mark.promise("W4")
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("operation", fourth(OPERATIONS, 1))
@pytest.mark.long
def test_every_generated_request_is_answered_as_described(
    operation: str, share: int, world: World
) -> None:
    from schemathesis import checks
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.pytest import _test_builder

    # The library's own types have parameters that it does not fill in.
    registry: Any = cast("Any", checks).CHECKS
    builder: Any = _test_builder

    def send(case: Any) -> None:
        headers = {"Authorization": f"Bearer {world.place(case)}"}
        world.sent[operation] += 1
        response = case.call(world.url, world.session, headers)
        case.validate_response(response, registry.get_by_names(CHECKED), headers=headers)

    # What `schema.parametrize()` does, but not before this test runs: making the requests takes
    # seconds per operation, and every worker would make them all while it collects.
    schema = description(share)
    builder.build_operation_test(
        config=schema.config,
        operation=schema.find_operation_by_id(operation),
        test_func=send,
        given_kwargs={},
        feedback=FeedbackSources(),
    )()
