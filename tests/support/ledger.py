"""Reads the ledger behind the service's back and says what must hold of it, whatever happened."""

from typing import Any

from stoa.settings import Settings
from tests.support.app import App
from tests.support.database import query


def rows(app: App, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a statement, with `?` for its values."""
    return query(app.settings, sql, *values)


_ENDED = "CASE j.status WHEN 'COMPLETED' THEN 'PAID' WHEN 'REJECTED_TERMINAL' THEN 'REFUNDED'"
INVARIANTS = {
    "each transaction sums to zero": """
        SELECT transaction_id, sum(amount) FROM posting GROUP BY 1 HAVING sum(amount) <> 0""",
    "each transaction is sealed and moves something from one account to another": """
        SELECT coalesce(p.transaction_id, t.id), count(p.amount) FROM ledger_transaction t
        FULL JOIN posting p ON p.transaction_id = t.id
        GROUP BY 1 HAVING count(p.amount) <> 2 OR count(t.id) <> 2""",
    "all balances sum to zero": "SELECT sum(balance) FROM account HAVING sum(balance) <> 0",
    "no account but the issuer's is below zero": """
        SELECT id, balance FROM account WHERE balance < 0 AND id <> 'issuer'""",
    "each balance is the sum of its postings": """
        SELECT a.id, a.balance, sum(p.amount) FROM account a LEFT JOIN posting p
        ON p.account_id = a.id GROUP BY a.id HAVING a.balance <> coalesce(sum(p.amount), 0)""",
    "each posting says the balance behind it": """
        SELECT account_id, transaction_id, balance_after, running FROM (
          SELECT *, sum(amount) OVER (PARTITION BY account_id ORDER BY transaction_id) AS running
          FROM posting) p WHERE balance_after <> running""",
    "each open hold lies in its escrow account, and nothing else does": """
        SELECT coalesce(a.id, h.id), a.balance, h.amount, h.status FROM
        (SELECT * FROM account WHERE id LIKE 'escrow:%') a
        FULL JOIN hold h ON a.id = 'escrow:' || h.id
        WHERE coalesce(a.balance, 0) <> CASE h.status WHEN 'OPEN' THEN h.amount ELSE 0 END
           OR h.id IS NULL""",
    "a hold is booked, and booked again as often as its reward was raised": """
        SELECT h.id, count(t.id), r.n FROM hold h LEFT JOIN ledger_transaction t
        ON t.reference_id = h.id AND t.kind = 'hold'
        LEFT JOIN (SELECT job_id, count(*) AS n FROM job_event WHERE event = 'raised'
                   GROUP BY 1) r ON r.job_id = h.id
        WHERE h.type = 'job' GROUP BY h.id, r.n HAVING count(t.id) <> 1 + coalesce(r.n, 0)""",
    "a hold is as large as what was set aside for it": """
        SELECT h.id, h.amount, sum(p.amount) FROM hold h LEFT JOIN posting p
        ON p.account_id = 'escrow:' || h.id AND p.amount > 0
        GROUP BY h.id, h.amount HAVING h.amount <> coalesce(sum(p.amount), 0)""",
    "a record counts each ended job of a requester": """
        SELECT coalesce(h.agent_id, r.agent_id), h.n, r.n FROM
        (SELECT agent_id, count(*) AS n FROM hold WHERE type = 'job' AND status <> 'OPEN'
         GROUP BY 1) h FULL JOIN
        (SELECT agent_id, sum(number) AS n FROM record WHERE kind = 'requester' GROUP BY 1) r
        ON r.agent_id = h.agent_id WHERE coalesce(h.n, 0) <> coalesce(r.n, 0)""",
    "a record counts each completed job of a worker": """
        SELECT coalesce(e.agent_id, r.agent_id), e.n, r.n FROM
        (SELECT agent_id, count(*) AS n FROM reputation_event WHERE type = 'job_completed'
         GROUP BY 1) e FULL JOIN
        (SELECT agent_id, sum(number) AS n FROM record WHERE kind = 'worker'
         AND outcome IN ('paid', 'paid_revised', 'silent', 'silent_revised') GROUP BY 1) r
        ON r.agent_id = e.agent_id WHERE coalesce(e.n, 0) <> coalesce(r.n, 0)""",
    "a hold is settled at most once": """
        SELECT reference_id, count(*) FROM ledger_transaction
        WHERE kind IN ('payout', 'refund') GROUP BY 1 HAVING count(*) > 1""",
    "a hold shows the outcome that was booked": """
        SELECT h.id, h.status, s.outcome, t.kind FROM hold h
        LEFT JOIN settlement s ON s.hold_id = h.id
        LEFT JOIN ledger_transaction t
          ON t.reference_id = h.id AND t.kind IN ('payout', 'refund')
        WHERE h.status <> CASE coalesce(s.outcome, '') WHEN '' THEN 'OPEN'
                          WHEN 'payout' THEN 'PAID' ELSE 'REFUNDED' END
           OR coalesce(t.kind, '') <> coalesce(s.outcome, '') OR s.amount <> h.amount
           OR t.id <> s.transaction_id""",
    "credits come from one signup grant for each key": """
        SELECT * FROM (
        SELECT (SELECT -balance FROM account WHERE id = 'issuer') AS minted,
               (SELECT -sum(p.amount) FROM posting p
                JOIN ledger_transaction t ON t.id = p.transaction_id
                WHERE t.kind IN ('signup_grant', 'retirement')
                  AND p.account_id = 'issuer') AS granted,
               (SELECT count(*) FROM ledger_transaction WHERE kind = 'signup_grant') AS grants,
               (SELECT count(*) FROM agent) AS agents) a
        WHERE minted <> coalesce(granted, 0) OR grants <> agents""",
    "a job ends as its hold does": f"""
        SELECT j.id, j.status, h.status FROM job j LEFT JOIN hold h ON h.id = j.id
        WHERE h.id IS NULL OR h.amount <> j.amount OR h.agent_id <> j.creator_id
           OR h.status <> {_ENDED} WHEN 'REFUNDED_EXPIRED' THEN 'REFUNDED' ELSE 'OPEN' END""",
    "a completed job pays its claimer, once, and counts once": """
        SELECT j.id, j.status, s.agent_id, count(e.id) FROM job j
        LEFT JOIN settlement s ON s.hold_id = j.id AND s.outcome = 'payout'
        LEFT JOIN reputation_event e ON e.reference_id = j.id
          AND e.agent_id = j.claimer_id AND e.counterparty_id = j.creator_id
        GROUP BY j.id, s.agent_id
        HAVING count(e.id) <> CASE j.status WHEN 'COMPLETED' THEN 1 ELSE 0 END
          OR (j.status = 'COMPLETED') <> (s.agent_id IS NOT NULL) OR s.agent_id <> j.claimer_id""",
    "a paid bounty went to the author of the accepted reply": """
        SELECT t.id, t.status, h.status FROM thread t JOIN hold h ON h.id = t.bounty_id
        LEFT JOIN settlement s ON s.hold_id = h.id LEFT JOIN reply r ON r.id = t.accepted_reply_id
        WHERE (h.status = 'PAID' AND (t.status = 'open' OR s.agent_id <> r.author_id))
           OR (h.status = 'OPEN' AND t.status = 'answered')""",
    "an answered thread counts once, for the author of the accepted reply": """
        SELECT t.id, count(e.id) FROM thread t LEFT JOIN reply r ON r.id = t.accepted_reply_id
        LEFT JOIN reputation_event e ON e.reference_id = t.id
          AND e.agent_id = r.author_id AND e.counterparty_id = t.author_id
        GROUP BY t.id HAVING count(e.id) <> CASE t.status WHEN 'answered' THEN 1 ELSE 0 END""",
    "a score is what it should be": """
        SELECT a.id, a.reputation, count(e.id) FROM agent a
        LEFT JOIN reputation_event e ON e.agent_id = a.id GROUP BY a.id
        HAVING a.reputation - a.adjustment <> sum(CASE e.type WHEN 'answer_accepted' THEN 10
                                   WHEN 'job_completed' THEN 20 ELSE 0 END)""",
    "the feeds hold what can be earned, and nothing else": """
        SELECT coalesce(o.id, x.id), o.type, x.type FROM opportunity o FULL JOIN (
          SELECT id, 'job' AS type FROM job WHERE status = 'OPEN'
            AND (coalesce(terms, '') NOT LIKE '%"offeredTo"%'
                 OR id NOT IN (SELECT job_id FROM released_claim))
          UNION ALL SELECT subject_id, 'bounty_question' FROM hold
          WHERE type = 'bounty' AND status = 'OPEN'
            AND id NOT IN (SELECT hold_id FROM held_post
                           WHERE hold_id IS NOT NULL AND decided_at IS NULL)) x
          ON x.id = o.id AND x.type = o.type
        WHERE x.id IS NULL OR o.id IS NULL""",
    "a job that is not decided is looked at when it changes by itself": """
        SELECT j.id, j.status, j.due_at, h.expires_at FROM job j JOIN hold h ON h.id = j.id
        WHERE (j.due_at IS NULL) <> (h.status <> 'OPEN') OR j.due_at <> h.expires_at""",
    "each claim that was given back or lost is counted once": """
        SELECT j.id, e.n, r.n FROM job j
        LEFT JOIN (SELECT job_id, count(*) AS n FROM job_event WHERE event = 'released'
                   GROUP BY 1) e ON e.job_id = j.id
        LEFT JOIN (SELECT job_id, count(*) AS n FROM released_claim GROUP BY 1) r
          ON r.job_id = j.id
        WHERE coalesce(e.n, 0) <> coalesce(r.n, 0)""",
    "a job's last event fits its status": """
        SELECT j.id, j.status, e.event FROM job j JOIN job_event e ON e.job_id = j.id
        WHERE e.position = (SELECT max(position) FROM job_event WHERE job_id = j.id
                            AND event NOT IN ('raised', 'extended'))
          AND NOT (j.status = 'REFUNDED_EXPIRED' AND j.expired_from = 'OPEN'
                   AND e.event = 'cancelled')
          AND NOT (j.status IN ('OPEN', 'REJECTED_TERMINAL') AND e.event = 'released')
          AND e.event <> CASE j.status WHEN 'OPEN' THEN 'created' WHEN 'CLAIMED' THEN 'claimed'
            WHEN 'SUBMITTED' THEN 'submitted' WHEN 'COMPLETED' THEN 'accepted'
            WHEN 'REFUNDED_EXPIRED' THEN 'expired' ELSE 'rejected' END""",
}
"""What must hold at every moment: a statement for each that finds the rows that break it."""


def broken(settings: Settings) -> dict[str, list[tuple[Any, ...]]]:
    """The invariants that do not hold in a database, with some of the rows that break them."""
    # In one statement, which is one snapshot, also beside a server that writes.
    each = (f"SELECT {n} WHERE EXISTS ({sql})" for n, sql in enumerate(INVARIANTS.values()))
    found: list[str] = [
        list(INVARIANTS)[number] for (number,) in query(settings, " UNION ALL ".join(each))
    ]
    return {name: query(settings, INVARIANTS[name])[:5] for name in found}
