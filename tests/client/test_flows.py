"""Both clients against a real server: threads, jobs, lists, refusals, signing in."""

from collections.abc import Callable
from decimal import Decimal
from itertools import islice
from typing import Any

import pytest

from stoa.client import (
    AlreadyDone,
    ForeignChallenge,
    Key,
    RateLimited,
    Refused,
    StoaError,
    UnexpectedAnswer,
    Unreachable,
    operations,
)
from tests.client.relay import relaying
from tests.support.server import Server

Agent = Callable[..., Any]


def test_a_bounty_is_offered_answered_and_paid(agent: Agent) -> None:
    asker, baker = agent("asker"), agent("baker")
    created = asker.create_thread(
        title="How warm should dough rise?",
        body="It stays flat.",
        tags=["Bread"],
        bounty_credits=5.5,
    )
    thread = created.thread
    assert (thread.tags, thread.bounty_credits, thread.status) == (
        ["bread"],
        Decimal("5.5"),
        "open",
    )
    reply = baker.reply_to_thread(thread.id, "24 degrees.").reply
    assert reply.accept_eligible
    accepted = asker.accept_reply(thread.id, reply.id)
    (change,) = accepted.settlement.credit_changes
    assert (change.agent_id, change.amount) == (reply.author_agent_id, Decimal("5.5"))
    read = baker.get_thread(thread.id, include="replies")
    assert (read.thread.accepted_reply_id, read.replies[0].body.body) == (reply.id, "24 degrees.")
    assert baker.get_credit_balance().balance.available == Decimal("105.5")


def test_a_job_is_claimed_rejected_revised_and_paid(agent: Agent) -> None:
    creator, worker = agent("creator"), agent("worker", capabilities=["research"])
    job = creator.create_job(
        "Compare three flours", "Name sources.", reward_credits=20, requirements=["research"]
    ).job
    assert job.id in [row.id for row in worker.iter_recommended_opportunities()]
    first = worker.claim_job(job.id)
    again = worker.claim_job(job.id)
    assert first.receipt.id == again.receipt.id
    artifact = {"name": "notes.md", "mediaType": "text/markdown", "text": "# Flour"}
    worker.submit_job(job.id, "Rye, wheat.", artifacts=[artifact])
    rejected = creator.reject_job(job.id, "incomplete", message="Only two.")
    assert rejected.job.revision_remaining == 1
    submitted = worker.submit_job(job.id, "Rye, wheat, spelt.")
    assert submitted.job.status == "SUBMITTED"
    accepted = creator.accept_job(job.id)
    assert (accepted.job.status, accepted.settlement.credit_changes[0].amount) == ("COMPLETED", 20)
    rows = [row.artifacts for row in creator.iter_job_submissions(job.id)]
    assert rows[0][0].media_type == "text/markdown"
    assert worker.get_reputation(submitted.submission.agent_id).reputation.score == 20


def test_a_stranger_reads_a_job_without_its_submissions(
    agent: Agent, connect: Callable[..., Any], server: Server
) -> None:
    creator, worker = agent("creator"), agent("worker")
    job = creator.create_job("Proofread", "One page.", reward_credits=1).job
    worker.claim_job(job.id)
    worker.submit_job(job.id, "Done.")
    assert worker.get_job(job.id).job.submissions[0].body.body == "Done."
    shown = connect(server.url).get_job(job.id).job.submissions[0]
    assert (shown.redacted, shown.body.body) == (True, "")


def test_an_iterator_brings_every_row_once_over_several_pages(agent: Agent) -> None:
    author = agent("many")
    thread = author.create_thread(title="Counting", body="One reply for each number.").thread
    written = [author.reply_to_thread(thread.id, str(number)).reply.id for number in range(103)]
    assert [row.id for row in author.iter_replies(thread.id)] == written


def test_filters_hold_for_every_page(agent: Agent) -> None:
    author = agent("tagger")
    wanted = author.create_thread(title="Rye", body="Dark.", tags=["flour"])
    author.create_thread(title="Wheat", body="Light.", tags=["light"])
    mine = wanted.thread.author_agent_id
    found = [row.id for row in author.iter_search_threads(tags=["flour"], author=mine)]
    assert found == [wanted.thread.id]


def test_the_lean_form_of_any_call_is_plain_json(agent: Agent) -> None:
    asker = agent("asker")
    made = asker.lean(operations.CREATE_THREAD, title="How warm?", body="Dough, I mean.")
    assert made.keys() - {"similar"} == {"id", "status", "receiptId", "nextActions"}
    read = asker.lean(operations.GET_THREAD, thread_id=made["id"], excerpt=40)
    assert read["thread"]["body"] == "Dough, I mean."
    assert read["thread"]["author"]["name"] == "asker"
    with pytest.raises(Refused) as refused:
        asker.lean(operations.GET_THREAD, thread_id="th_none")
    assert refused.value.code == "not_found"


def test_typed_reads_take_excerpts_and_budgets(agent: Agent) -> None:
    asker = agent("asker")
    tag = Key.generate().public_key[:12]
    thread = asker.create_thread("How warm?", "Dough rises slowly. " * 20, tags=[tag]).thread
    asker.create_thread("How cold?", "Dough rises slowly. " * 20, tags=[tag])
    listed = asker.get_recent_threads(tag=tag, excerpt=40, max_tokens=300)
    assert listed.omitted == 1
    body = asker.get_thread(thread.id, excerpt=40).thread.body
    assert body.truncated
    assert len(body.body) + body.characters_left == 400


def test_a_refusal_says_its_code_its_issues_and_what_to_do(agent: Agent) -> None:
    with pytest.raises(Refused) as caught:
        agent().create_thread(title="", body="x", tags=["a,b"])
    error = caught.value
    assert (error.code, error.status, error.retryable) == ("invalid_request", 400, False)
    assert {issue.path for issue in error.issues} == {"title", "tags.0"}
    assert error.request_id
    assert error.documentation
    assert error.documentation.endswith("/docs/errors/invalid_request")
    assert "title" in str(error)


def test_the_service_says_what_is_wrong_with_a_text_that_is_not_unicode(agent: Agent) -> None:
    asker = agent("asker")
    for call in (
        lambda: asker.search_threads(q="\udcff"),
        lambda: asker.create_thread("\udcff", "y"),
        lambda: asker.get_thread("\udcff"),
    ):
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.code in ("invalid_request", "not_found")


def test_a_refusal_keeps_the_members_of_its_own_code(agent: Agent) -> None:
    creator = agent("creator")
    job = creator.create_job("Sweep", "The yard.", reward_credits=3).job
    agent("first").claim_job(job.id)
    with pytest.raises(Refused) as caught:
        agent("second").claim_job(job.id)
    assert caught.value.code == "job_already_claimed"
    assert "openJobs" in caught.value.details["suggestions"]


def test_without_a_key_public_reads_work_and_writes_are_refused(
    connect: Callable[..., Any], server: Server
) -> None:
    reader = connect(server.url)
    assert reader.get_recent_threads().limit == 20
    with pytest.raises(Refused) as caught:
        reader.create_thread(title="x", body="y")
    assert caught.value.code == "missing_bearer_token"
    with pytest.raises(StoaError) as without:
        reader.sign_in()
    assert without.value.code == "missing_key"


def test_the_profile_is_what_the_agent_says_of_itself(agent: Agent) -> None:
    client = agent("Baker", description="Bread.", capabilities=["baking"])
    signed_in = client.sign_in()
    shown = client.get_agent(signed_in.agent.id).agent
    assert (shown.display_name, shown.description) == ("Baker", "Bread.")
    assert shown.capabilities == ["baking"]
    assert signed_in.is_new_agent


def test_one_sign_in_serves_many_calls(agent: Agent) -> None:
    client = agent()
    client.get_credit_balance()
    first = client.signed_in
    client.get_credit_balance()
    assert client.signed_in is first


def test_a_client_whose_session_was_ended_signs_in_again(agent: Agent) -> None:
    asker = agent("asker")
    me = asker.get_me()
    (session,) = me.sessions
    assert (me.agent.id, session.via, session.current) == (me.agent.id, "verify", True)
    assert me.key.public_key == me.agent.public_key
    buckets = {"reads", "threads", "replies", "accepts", "keys"}
    assert {bucket.resource for bucket in me.limits} == buckets
    ended = asker.revoke_sessions()
    assert (ended.revoked, ended.current, ended.receipt.resource_id) == (1, True, session.id)
    (another,) = asker.get_me().sessions
    assert another.id != session.id
    assert asker.revoke_sessions(session_id=session.id).revoked == 0
    assert asker.revoke_sessions(all_=True).current


def test_a_retry_whose_whole_answer_is_gone_says_what_was_done(agent: Agent) -> None:
    creator, worker = agent("creator"), agent("worker")
    job = creator.create_job(title="Work", description="Do it.", reward_credits=1).job
    claimed = worker.claim_job(job.id)
    again = {"idempotency_key": "again"}  # it changes nothing, so its receipt alone is stored
    assert worker.claim_job(job.id, **again).receipt == claimed.receipt
    worker.submit_job(job.id, body="Done.")
    creator.accept_job(job.id)
    with pytest.raises(AlreadyDone) as caught:
        worker.claim_job(job.id, **again)
    assert claimed.receipt
    assert (caught.value.id, caught.value.receipt_id) == (job.id, claimed.receipt.id)
    assert worker.get_job(caught.value.id).job.status == "COMPLETED"


def test_a_challenge_that_was_made_for_another_address_is_not_signed(
    connect: Callable[..., Any], server: Server
) -> None:
    with relaying(server.url) as relay:
        with pytest.raises(ForeignChallenge) as caught:
            connect(relay.url, Key.generate()).get_credit_balance()
        assert relay.paths == ["/api/v1/auth/challenge"]
    assert caught.value.made_for == server.url


def test_an_address_may_be_written_in_any_of_its_forms(
    connect: Callable[..., Any], server: Server
) -> None:
    url = server.url.replace("http://127.0.0.1", "HTTP://LocalHost") + "/"
    assert connect(url, Key.generate()).sign_in().is_new_agent


def test_a_new_key_does_the_work_that_a_service_asks_for(
    connect: Callable[..., Any], start_server: Callable[..., Server]
) -> None:
    server = start_server(signup_work=8)
    assert connect(server.url, Key.generate()).sign_in().is_new_agent


def test_a_full_bucket_that_takes_too_long_is_an_error_that_says_when(
    connect: Callable[..., Any], start_server: Callable[..., Server]
) -> None:
    server = start_server(limit_threads=1)
    client = connect(server.url, Key.generate(), max_wait=2)
    client.create_thread(title="One", body="First.")
    with pytest.raises(RateLimited) as caught:
        client.create_thread(title="Two", body="Second.")
    assert caught.value.code == "rate_limited"
    assert caught.value.retry_after
    assert caught.value.retry_after > 2


def test_a_server_that_is_not_there_is_unreachable(connect: Callable[..., Any]) -> None:
    client = connect("http://127.0.0.1:65533", max_wait=0.1)
    with pytest.raises(Unreachable) as caught:
        client.get_recent_threads()
    assert not caught.value.maybe_done
    assert caught.value.retryable


def test_what_is_not_stoa_is_not_parsed(connect: Callable[..., Any], server: Server) -> None:
    client = connect(f"{server.url}/forum")
    with pytest.raises(UnexpectedAnswer) as caught:
        client.get_recent_threads()
    assert caught.value.status == 404
    assert "text/markdown" in str(caught.value)


@pytest.mark.promise("W12")
def test_a_write_whose_answer_is_lost_is_sent_again_and_done_once(
    connect: Callable[..., Any], start_server: Callable[..., Server]
) -> None:
    with relaying("") as relay:
        server = start_server(base_url=relay.url)
        relay.target = server.url
        relay.losing.add("/api/v1/jobs")
        client = connect(relay.url, Key.generate())
        job = client.create_job("Sweep", "The yard.", reward_credits=7).job
        assert relay.losing == set()
        assert relay.paths.count("/api/v1/jobs") == 2
        balance = client.get_credit_balance().balance
        jobs = [row.id for row in client.list_jobs().jobs]
    assert jobs == [job.id]
    assert [(hold.id, hold.amount) for hold in balance.reserved.jobs] == [(job.id, 7)]
    assert (balance.reserved.total, balance.available) == (7, 93)


def test_watching_reports_what_is_there_and_leaves_out_what_was_seen(agent: Agent) -> None:
    creator, worker = agent("creator"), agent("watcher")
    jobs = [creator.create_job("Job", "Work.", reward_credits=9).job.id for _ in range(2)]
    seen = {jobs[0]}
    shown = [row.id for row in islice(worker.watch(seen), 1)]
    assert jobs[0] not in shown
    assert jobs[1] in seen


def test_answers_keep_what_this_client_does_not_know(agent: Agent) -> None:
    balance = agent().get_credit_balance()
    assert balance.raw["balance"]["available"] == 100
