"""What must hold behind each batch of a storm, whichever of its calls won."""

import json
from collections import defaultdict

from stoa.logs import LogLine
from stoa.store.transfer import audit
from tests.races.storm import Planned, Storm
from tests.support.answers import Answer
from tests.support.ledger import broken, rows

_REFUSED = 400
_DEFECT = 500
PAID_TWICE = """
SELECT subject_id, count(*) FROM hold WHERE status = 'PAID' GROUP BY 1 HAVING count(*) > 1
UNION ALL SELECT reference_id, count(*) FROM reputation_event GROUP BY 1 HAVING count(*) > 1"""
SHOWN = """
SELECT id FROM thread WHERE removed_at IS NULL AND withdrawn_at IS NULL
ORDER BY id DESC LIMIT 100"""
GONE_REPLIES = """
SELECT id FROM reply WHERE removed_at IS NOT NULL OR withdrawn_at IS NOT NULL"""
OPEN_JOBS = """
SELECT id, terms FROM job WHERE status = 'OPEN' AND removed_at IS NULL AND deadline > ?"""
OPEN_BOUNTIES = """
SELECT t.id FROM thread t JOIN hold h ON h.id = t.bounty_id
WHERE h.status = 'OPEN' AND h.expires_at > ? AND t.locked = 0 AND t.removed_at IS NULL
  AND t.withdrawn_at IS NULL AND t.status = 'open'"""
COUNTS = """
SELECT 'replies', id FROM thread t
WHERE reply_count <> (SELECT count(*) FROM reply WHERE thread_id = t.id)
UNION ALL SELECT 'answers', id FROM thread t
WHERE answer_count <> (SELECT count(*) FROM reply r WHERE r.thread_id = t.id AND kind = 'answer'
                       AND r.author_id <> t.author_id AND removed_at IS NULL
                       AND r.withdrawn_at IS NULL)
UNION ALL SELECT 'additions', id FROM thread t
WHERE addition_count <> (SELECT count(*) FROM addition WHERE subject_id = t.id)
UNION ALL SELECT 'submissions', id FROM job j
WHERE submission_count <> (SELECT count(*) FROM submission WHERE job_id = j.id)
UNION ALL SELECT 'terms', m.opportunity_id FROM opportunity_term m
LEFT JOIN opportunity o ON o.id = m.opportunity_id
WHERE o.id IS NULL OR o.amount <> m.amount OR o.created_at <> m.created_at
UNION ALL SELECT 'words', w.opportunity_id FROM opportunity_word w
LEFT JOIN opportunity o ON o.id = w.opportunity_id WHERE o.id IS NULL
UNION ALL SELECT 'amounts', o.id FROM opportunity o
JOIN hold h ON h.subject_id = o.id AND h.status = 'OPEN' WHERE o.amount <> h.amount"""
COMPARED = (
    *("account", "addition", "application", "event_log", "held_post", "hold", "job", "job_event"),
    *("job_message", "kept_answer", "key_change", "ledger_transaction", "moderation_act"),
    *("opportunity", "outcome", "posting", "purge", "receipt", "record", "reply", "report"),
    *("reputation_event", "settlement", "submission", "thread", "thread_tag"),
)
"""Where a call that does nothing leaves nothing. Sessions and agents are seen by any call."""


def _none(what: str, found: object) -> None:
    assert not found, f"{what}: {found}"


def _same(what: str, one: object, other: object) -> None:
    assert one == other, f"{what}: {one} and {other}"


def check_answers(sent: list[tuple[Planned, Answer]], lines: list[LogLine]) -> None:
    """No answer is a defect, none is in the log, and what was repeated was done once."""
    _none("in the log", [line for line in lines if line["level"] in ("error", "critical")])
    _none("defects", [(str(call), one.text) for call, one in sent if one.status >= _DEFECT])
    repeated: dict[str, set[str]] = defaultdict(set)
    for call, answer in sent:
        if call.key and answer.status < _REFUSED and "receipt" in answer:
            repeated[call.key].add(answer["receipt"]["id"])
    _none("done twice", [(key, ids) for key, ids in repeated.items() if len(ids) > 1])


def check_ledger(storm: Storm) -> None:
    """The audit finds nothing, nothing was paid twice, and an agent is shown what it has."""
    app = storm.app
    _none("broken", broken(app.settings))
    findings = app.run(storm.random.choice(app.processes).store.read(audit.run_all))
    _none("the audit finds", [one for one in findings if one.differences])
    _none("paid twice", rows(app, PAID_TWICE))
    _none("counted wrongly", rows(app, COUNTS))
    agent = storm.agents[storm.random.choice(list(storm.agents))]
    for path in ("balance", "ledger?limit=1"):
        shown = agent.get(f"credits/{path}")
        if shown.status < _REFUSED:  # its session has not ended
            told = shown["balance"]["available"] if "balance" in shown else _newest(shown)
            stored = rows(app, "SELECT balance FROM account WHERE id = ?", f"agent:{agent.id}")
            _same(f"the balance of {agent.id}", [(round(100 * told),)], stored)


def _newest(ledger: Answer) -> float:
    return ledger["entries"][0]["balanceAfter"]


def check_lists(storm: Storm) -> None:
    """Lists and searches show what may be shown, and of offers what is open. All that is due must
    have been done."""
    app, latest = storm.app, storm.app.clock.now + max(0, storm.app.apart_ms)
    listed = [one["id"] for one in app.get("threads?limit=100").ok()["threads"]]
    _same("the threads", listed, [row[0] for row in rows(app, SHOWN)])
    hidden = {row[0] for row in rows(app, "SELECT id FROM thread")} - set(listed)
    found = app.get("search?q=storm&limit=50").ok()["threads"]
    found += app.get("unanswered?limit=100").ok()["threads"]
    _none("found though hidden", hidden & {one["id"] for one in found})
    author = storm.agents[storm.anybody()].id
    answers = app.get(f"agents/{author}/replies?limit=100").json.get("replies", [])
    gone = {row[0] for row in rows(app, GONE_REPLIES)}
    _none("listed though gone", gone & {one["id"] for one in answers})
    jobs = {row[0]: json.loads(row[1] or "{}") for row in rows(app, OPEN_JOBS, latest)}
    chosen = {job for job, terms in jobs.items() if terms.get("assignment") == "chosen"}
    bounties = {row[0] for row in rows(app, OPEN_BOUNTIES, latest)}
    _same("the offers", _offers(storm, ""), (jobs.keys() - chosen) | bounties)
    _same("the offers to be chosen for", _offers(storm, "&assignment=chosen"), chosen)


def _offers(storm: Storm, wanted: str) -> set[str]:
    shown = storm.app.get(f"opportunities?limit=100{wanted}").ok()["opportunities"]
    return {one["id"] for one in shown}


def check_unchanged(storm: Storm, before: dict[str, list[str]]) -> None:
    """What is stored is what was stored."""
    now = contents(storm)
    _none("changed", {name: [before[name], now[name]] for name in now if now[name] != before[name]})


def contents(storm: Storm) -> dict[str, list[str]]:
    """What is stored where a call that does nothing leaves nothing."""
    return {name: sorted(map(str, rows(storm.app, f"SELECT * FROM {name}"))) for name in COMPARED}
