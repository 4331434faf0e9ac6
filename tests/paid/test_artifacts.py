"""Texts of artifacts: short ones stand in the submission, long ones are read one by one."""

from hashlib import sha256
from typing import Any

import pytest

from stoa.domain.limits import ARTIFACT_TEXT_BYTES, SUBMISSION_TEXT_BYTES
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.faces import FACES

SHORT = "ü" * 2048
LONG = "x" + "ü" * 2048
WHOLE = {"headers": {"Accept": "*/*"}}


def digest(text: str) -> str:
    """The hash as an artifact has it."""
    return sha256(text.encode()).hexdigest()


def handed_in(ada: Agent, bob: Agent, *texts: str) -> Any:
    """The submission of these texts for a job of ada."""
    job = jobs.job_in("CLAIMED", ada, bob)
    artifacts = [{"name": "report"}, *({"name": "n", "text": text} for text in texts)]
    body = {"body": "All.", "artifacts": artifacts}
    return jobs.act(bob, job, "submit", body).ok(201)["submission"]


@pytest.mark.promise("C21")
def test_a_long_text_of_an_artifact_is_read_by_itself(ada: Agent, bob: Agent) -> None:
    work = handed_in(ada, bob, SHORT, LONG)
    path = f"submissions/{work['id']}"
    url = f"/api/v1/{path}/artifacts/2"
    long = {"name": "n", "size": 4097, "sha256": digest(LONG), "textUrl": url}
    assert work["artifacts"] == [{"name": "report"}, {"name": "n", "text": SHORT}, long]
    assert jobs.read({"id": work["jobId"]}, ada)["submissions"] == [work]
    for party in (ada, bob):
        assert party.get(path).ok().json == {"submission": work}
        for place, text in ((1, SHORT), (2, LONG)):
            read = party.get(f"{path}/artifacts/{place}", **WHOLE)
            assert (read.status, read.content) == (200, text.encode())
            assert read.headers["content-type"] == "text/plain; charset=utf-8"
            assert read.headers["content-disposition"] == "attachment"
            assert read.headers["x-content-type-options"] == "nosniff"
            assert read.headers["cache-control"] == "no-store"
    as_json = ada.get(f"{path}/artifacts/2", headers={"Accept": "application/json"}).ok()
    assert as_json.json == {"text": LONG}


def test_only_the_two_parties_read_a_submission_and_its_texts(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    work, eve = handed_in(ada, bob, LONG), stoa.agent("eve")
    for path in (f"submissions/{work['id']}", f"submissions/{work['id']}/artifacts/1"):
        stoa.get(path).refused(401, "missing_bearer_token")
        refused = eve.get(path).refused(403, "submissions_forbidden")
        assert "xü" not in refused.text
        assert f"(GET /api/v1/jobs/{work['jobId']})" in refused.json["recovery"]


@pytest.mark.parametrize("place", ["0", "2", "20", "9" * 30])
@pytest.mark.parametrize("engine", ["sqlite"])
def test_there_is_no_text_at_another_place(ada: Agent, bob: Agent, place: str) -> None:
    work = handed_in(ada, bob, LONG)
    ada.get(f"submissions/{work['id']}/artifacts/{place}").refused(404, "not_found")
    ada.get(f"submissions/{work['jobId']}/artifacts/1").refused(404, "not_found")
    ada.get(f"submissions/{work['id']}/artifacts/x").invalid("path.artifact")


@pytest.mark.parametrize(
    ("artifacts", "path"),
    [
        ([{"name": "n", "text": "x" * (ARTIFACT_TEXT_BYTES + 1)}], "artifacts.0.text"),
        ([{"name": "n", "text": "ü" * (ARTIFACT_TEXT_BYTES // 2) + "x"}], "artifacts.0.text"),
        ([{"name": "n"}, {"name": "n", "text": "x", "sha256": "a" * 64}], "artifacts.1.sha256"),
        ([{"name": "n", "text": "x" * (SUBMISSION_TEXT_BYTES // 16)}] * 17, "artifacts"),
        ([{"name": "n", "url": f"https://example.com/{'x' * 4096}"}], "artifacts.0"),
    ],
)
@pytest.mark.checks_input
def test_texts_over_their_bounds_and_wrong_hashes_are_refused(
    ada: Agent, bob: Agent, artifacts: Any, path: str
) -> None:
    job = jobs.job_in("CLAIMED", ada, bob)
    jobs.act(bob, job, "submit", {"body": "b", "artifacts": artifacts}).invalid(path)
    assert jobs.read(job, bob)["status"] == "CLAIMED"


def test_texts_up_to_their_bounds_are_kept(ada: Agent, bob: Agent) -> None:
    text = "x" * ARTIFACT_TEXT_BYTES
    most = SUBMISSION_TEXT_BYTES // ARTIFACT_TEXT_BYTES
    sent = [{"name": "n", "text": text, "sha256": digest(text).upper()}] * most
    job = jobs.job_in("CLAIMED", ada, bob)
    work = jobs.act(bob, job, "submit", {"body": "b", "artifacts": sent}).ok(201)["submission"]
    assert [one["size"] for one in work["artifacts"]] == [ARTIFACT_TEXT_BYTES] * most
    read = ada.get(f"submissions/{work['id']}/artifacts/7", **WHOLE)
    assert read.content.decode() == text


def test_a_lean_job_has_no_text_of_artifacts_and_only_the_latest_work(
    ada: Agent, bob: Agent
) -> None:
    work = handed_in(ada, bob, SHORT)
    job = {"id": work["jobId"]}
    jobs.done(ada, job, "reject")
    again = {"body": "Better.", "artifacts": [{"name": "n", "text": "short"}]}
    latest = jobs.act(bob, job, "submit", again).ok(201)["submission"]
    first, second = ada.get(f"jobs/{job['id']}?view=lean").ok()["job"]["submissions"]
    assert (first["charactersLeft"], first["truncated"], "body" in first) == (4, True, False)
    assert "artifacts" not in first
    assert second["body"] == "Better."
    url = f"/api/v1/submissions/{latest['id']}/artifacts/0"
    assert second["artifacts"] == [{"name": "n", "size": 5, "textUrl": url}]


@pytest.mark.parametrize("face", [name for name in FACES if name != "rest"])
def test_the_default_tools_read_one_submission_and_the_text_of_an_artifact(
    stoa: App, ada: Agent, bob: Agent, face: str
) -> None:
    work, eve = handed_in(ada, bob, SHORT, LONG), stoa.agent("eve")
    asked: dict[str, Any] = {"jobId": work["jobId"], "submissionId": work["id"]}
    tools = FACES[face](stoa)
    assert tools.call("get_job_submissions", asked, ada).ok()["submissions"] == [work]
    (whole,) = tools.call("get_job_submissions", {**asked, "artifact": 2}, bob).ok()["submissions"]
    assert whole["artifacts"][2]["text"] == LONG
    tools.call("get_job_submissions", {**asked, "artifact": 0}, bob).refused(404, "not_found")
    refused = tools.call("get_job_submissions", {**asked, "artifact": 2}, eve)
    refused.refused(403, "submissions_forbidden")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_submission_is_asked_for_with_its_own_job(ada: Agent, bob: Agent) -> None:
    work, other = handed_in(ada, bob, LONG), handed_in(ada, bob, LONG)
    path = f"jobs/{other['jobId']}/submissions"
    ada.get(f"{path}?submissionId={work['id']}").refused(404, "not_found")
    ada.get(f"{path}?artifact=1").invalid("query.artifact")
