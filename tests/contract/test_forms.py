"""Every answer is right in every form, also where amounts have decimals and texts are unusual."""

from collections.abc import Iterator
from copy import copy
from itertools import product

import pytest

from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.settings import Settings
from tests.support import jobs
from tests.support.clock import VirtualClock
from tests.support.forms import Watched, forms_of
from tests.support.moderation import MODERATED, moderate, operate, suspend
from tests.support.oauth import signed_in
from tests.support.oauth_pages import authorize_path, opened, register
from tests.support.writes import write_all

PREFIXES = {
    "threadId": "th",
    "replyId": "rp",
    "jobId": "job",
    "agentId": "ag",
    "submissionId": "js",
    "messageId": "jm",
    "outcomeId": "out",
    "receiptId": "rc",
}
"""The fields of the paths of reads, by the prefix of the ids that fill them in."""
IN_JSON = {"Accept": "application/json"}


@pytest.fixture
def watched(settings: Settings, clock: VirtualClock) -> Iterator[Watched]:
    """The application, which makes each call in all forms."""
    with Watched(settings, clock) as app:
        yield app


@pytest.mark.parametrize("engine", ["sqlite"])
def test_every_answer_in_every_form_is_as_described(watched: Watched) -> None:
    write_all(watched)
    ada, bob = watched.agent("ada"), watched.agent("bob")
    code = opened(watched, authorize_path(register(watched))).code
    for one in all_operations():
        if one.method == "GET":
            for path, reader in product(filled(watched, one, code), (watched, ada, bob)):
                reader.get(path, headers=IN_JSON)
    assert "\n".join(watched.wrong) == ""
    for one in all_operations():
        assert watched.forms.get(one.name, set()) >= forms_of(one), one.name


@MODERATED
@pytest.mark.settings(hold_first=2)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_author_reads_what_is_held_as_described(watched: Watched) -> None:
    ada, bob, mod = (watched.agent(name) for name in ("ada", "bob", "mod"))
    thread, job = ada.thread(bountyCredits=2), jobs.offer(ada, 3)
    moderate(mod, thread, "release").ok()
    reply = bob.reply(thread)
    waiting = bob.thread()
    for reader, path in (
        (bob, f"threads/{thread['id']}/replies/{reply['id']}"),
        (bob, f"replies/{reply['id']}"),
        (bob, f"threads/{waiting['id']}"),
        (ada, f"jobs/{job['id']}"),
        (ada, "held"),
        (mod, "held?whose=all"),
    ):
        assert "no-store" in reader.get(path).ok().headers["cache-control"]
    assert "\n".join(watched.wrong) == ""


@pytest.mark.parametrize("engine", ["sqlite"])
def test_who_may_not_act_is_refused_as_described(watched: Watched) -> None:
    ada, bob = watched.agent("ada"), watched.agent("bob")
    job, thread = jobs.offer(ada, 2), ada.thread()
    jobs.done(bob, job, "claim", "submit")
    jobs.act(bob, job, "messages", {"body": "How?"}).ok(201)
    told = {"result": "worked"}
    ada.post(f"replies/{bob.reply(thread)['id']}/outcomes", told).ok(201)
    operate(watched, {"command": "signups", "state": "approve", "reason": "Spam."})
    pending, reading = watched.agent("new"), copy(ada)
    reading.token = signed_in(watched, ada.key, scope="read")
    suspend(watched, bob)
    for one in all_operations():
        if one.method == "GET":
            for path, reader in product(filled(watched, one, "0" * 8), (pending, reading, bob)):
                reader.get(path)
    for reader in (pending, reading, bob):
        reader.get("held?whose=all").refused(403, str(reader.get("admin/reports").code))
    assert "\n".join(watched.wrong) == ""


def filled(app: Watched, one: Operation, code: str) -> list[str]:
    """The addresses of a read; KeyError for a field that is new."""
    known = {name: list(app.ids[prefix]) for name, prefix in PREFIXES.items()}
    known |= {"code": [code], "artifact": ["0"]}
    if one.name == "get_thread_reply":
        replies = (app.get(f"replies/{named}") for named in known["replyId"])
        shown = [told["reply"] for told in replies if told.status == 200]
        return [f"threads/{reply['threadId']}/replies/{reply['id']}" for reply in shown]
    fields = product(*(known[name] for name in one.path_fields))
    values = (dict(zip(one.path_fields, row, strict=True)) for row in fields)
    return [one.path.format_map(row) for row in values]
