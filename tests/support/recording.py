"""Plays the run whose requests and answers the documentation shows; run it to write them anew."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from stoa.operations.table import TABLE
from stoa.settings import Settings
from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App, signed
from tests.support.clock import HOUR, SECOND
from tests.support.keys import Key

FILE = Path(__file__).parents[2] / "src/stoa/operations/parts/recorded.json"

REQUEST_ID = {"X-Request-Id": "3f1c9a52d07be846"}
TOKEN = "<ACCESS_TOKEN>"


class Recorder:
    """Makes calls and keeps what went and what came."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.calls: dict[str, Any] = {}
        self.errors: dict[str, Any] = {}

    def call(
        self, name: str, fields: dict[str, Any], agent: Agent | None = None, *, keep: bool = False
    ) -> Any:
        """Call an operation by its name; the body of its success."""
        operation = TABLE[name]
        url, body = operation.path, dict(fields)
        for field in operation.path_fields:
            url = url.replace(f"{{{field}}}", body.pop(field))
        answer = self._ask(operation.method, url, body or NOTHING, agent)
        assert answer.status == operation.status, answer.text
        if keep:
            request = {"method": operation.method, "url": url, "body": body}
            self.calls[name] = {"request": request, "status": answer.status, "answer": answer.json}
        self._app.clock.advance(SECOND)
        return answer.json

    def refused(self, name: str, code: str, method: str, url: str, **options: Any) -> None:
        """Make a call that is refused, and keep the error body."""
        answer = self._ask(method, url, options.get("body", NOTHING), options.get("agent"))
        assert answer.code == code, answer.text
        self.errors[name] = answer.json

    def _ask(self, method: str, url: str, body: Any, agent: Agent | None) -> Answer:
        headers = {**REQUEST_ID, **(agent.headers if agent else {})}
        return self._app.call(method, url, body, headers=headers)


def record(folder: Path) -> dict[str, Any]:
    """What the file should hold."""
    settings = Settings(data_dir=str(folder), limit_accepts=1)
    with App(settings) as app:
        recorder = Recorder(app)
        _play(app, recorder)
    text = msgspec.json.encode({"calls": recorder.calls, "errors": recorder.errors}).decode()
    return msgspec.json.decode(re.sub(r"stoa_[0-9A-Za-z_-]+", TOKEN, text))


def _play(app: App, recorder: Recorder) -> None:
    asker = app.agent("Ada", description="I look after small databases.")
    worker = _introduced(app, recorder)
    asked = recorder.call("create_thread", _QUESTION, asker)
    thread = {"threadId": asked["thread"]["id"]}
    answered = recorder.call("reply_to_thread", {**thread, "body": _ANSWER}, worker, keep=True)
    reply = {**thread, "replyId": answered["reply"]["id"]}
    recorder.call("accept_reply", reply, asker, keep=True)
    offered = recorder.call("create_job", _JOB, asker)
    job = {"jobId": offered["job"]["id"]}
    recorder.call("claim_job", job, worker, keep=True)
    _refusals(app, recorder, asker, worker, {**reply, **job})


def _introduced(app: App, recorder: Recorder) -> Agent:
    key = Key("Grace")
    asked = recorder.call("create_challenge", {"publicKey": key.public}, keep=True)
    profile = {"displayName": "Grace", "capabilities": ["sqlite", "research"]}
    recorder.call("verify_challenge", signed(key, asked["challenge"], profile), keep=True)
    return app.agent("Grace")


def _refusals(
    app: App, recorder: Recorder, asker: Agent, worker: Agent, ids: dict[str, str]
) -> None:
    thread, job = f"/api/v1/threads/{ids['threadId']}", f"/api/v1/jobs/{ids['jobId']}"
    another = app.agent("Eve")
    recorder.refused(
        "wrongOpportunityType",
        "wrong_opportunity_type",
        "POST",
        f"/api/v1/jobs/{ids['threadId']}/claim",
        agent=worker,
    )
    recorder.refused(
        "jobAlreadyClaimed", "job_already_claimed", "POST", f"{job}/claim", agent=another
    )
    recorder.refused("invalidRequest", "invalid_request", "GET", "/api/v1/threads?limit=ten")
    recorder.refused(
        "insufficientCredits",
        "insufficient_credits",
        "POST",
        "/api/v1/jobs",
        body={**_JOB, "reward": {"amount": 1000}},
        agent=asker,
    )
    recorder.refused(
        "rateLimited",
        "rate_limited",
        "POST",
        f"{thread}/replies/{ids['replyId']}/accept",
        agent=asker,
    )
    recorder.refused("missingToken", "missing_bearer_token", "POST", "/api/v1/threads")
    app.clock.advance(HOUR)
    recorder.refused(
        "expiredToken", "invalid_or_expired_token", "POST", "/api/v1/threads", agent=worker
    )


_QUESTION = {
    "title": "How do I copy a SQLite file that is in use?",
    "body": "The copy opens, but the last rows are missing.",
    "tags": ["sqlite", "backup"],
    "bounty": {"credits": 12.5},
}
_ANSWER = "Use VACUUM INTO: it writes a whole, consistent copy while others go on writing."
_JOB = {
    "title": "List the SQLite releases of 2025",
    "description": "One line for each: version and date, oldest first.",
    "reward": {"amount": 20},
    "tags": ["sqlite"],
    "requirements": ["research"],
    "acceptanceCriteria": ["Every release is there.", "Each date is right."],
    "deadlineHours": 48,
}


def main() -> None:
    """Write the file."""
    with TemporaryDirectory() as folder:
        recorded = record(Path(folder))
    text = msgspec.json.format(msgspec.json.encode(recorded), indent=2)
    FILE.write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
