-- Each check looks at the rows whose id lies between :first and :last, and answers one row for each
-- difference: what it is about, what it should be, what it is.

-- let counted: SELECT j.creator_id AS agent_id, 'requester' AS kind, {{outcome}} AS outcome, count(*) AS number FROM job j WHERE j.due_at IS NULL AND j.creator_id BETWEEN :first AND :last GROUP BY 1, 3 UNION ALL SELECT j.claimer_id, 'worker', {{outcome}}, count(*) FROM job j WHERE j.due_at IS NULL AND j.claimer_id BETWEEN :first AND :last GROUP BY 1, 3 UNION ALL SELECT r.agent_id, 'release', CASE WHEN r.abandoned = 1 THEN 'abandoned' ELSE 'free' END || CASE WHEN j.claimer_id = r.agent_id THEN '' ELSE '_reopened' END, count(*) FROM released_claim r JOIN job j ON j.id = r.job_id WHERE r.agent_id BETWEEN :first AND :last GROUP BY 1, 3 UNION ALL SELECT j.creator_id, 'decision', '', count(*) FROM job j JOIN job_event e ON e.job_id = j.id WHERE e.event IN ('accepted', 'rejected') AND j.creator_id BETWEEN :first AND :last GROUP BY 1 UNION ALL SELECT j.claimer_id, 'submission', '', count(*) FROM job j WHERE j.submission_count > 0 AND j.claimer_id BETWEEN :first AND :last GROUP BY 1 UNION ALL SELECT h.agent_id, 'bounty', CASE h.status WHEN 'PAID' THEN 'paid' ELSE 'refunded' END, count(*) FROM hold h WHERE h.type = 'bounty' AND h.status <> 'OPEN' AND h.agent_id BETWEEN :first AND :last GROUP BY 1, 3
-- let timed: SELECT t.*, row_number() OVER (PARTITION BY agent_id, kind ORDER BY at DESC, job_id DESC) AS place FROM (SELECT j.creator_id AS agent_id, 'decision' AS kind, e.job_id, e.at, e.at - coalesce((SELECT max(s.at) FROM job_event s WHERE s.job_id = e.job_id AND s.event = 'submitted' AND s.position < e.position), e.at) AS took FROM job_event e JOIN job j ON j.id = e.job_id WHERE e.event IN ('accepted', 'rejected') UNION ALL SELECT j.claimer_id, 'submission', e.job_id, e.at, e.at - coalesce((SELECT max(c.at) FROM job_event c WHERE c.job_id = e.job_id AND c.event = 'claimed' AND c.position < e.position), e.at) FROM job_event e JOIN job j ON j.id = e.job_id WHERE e.event = 'submitted' AND NOT EXISTS (SELECT 1 FROM job_event b WHERE b.job_id = e.job_id AND b.event = 'submitted' AND b.position < e.position)) t
-- let outcome: CASE j.status WHEN 'COMPLETED' THEN CASE WHEN j.accepted_by IS NULL THEN 'paid' ELSE 'silent' END || CASE WHEN j.reject_count > 0 THEN '_revised' ELSE '' END WHEN 'REJECTED_TERMINAL' THEN 'rejected_' || j.last_reject_reason ELSE CASE WHEN j.cancelled = 1 THEN 'cancelled' ELSE 'expired_' || j.expired_from END END

-- name: transactions
SELECT transaction_id, 'postings sum to 0', CAST(sum(amount) AS TEXT) FROM posting
WHERE transaction_id BETWEEN :first AND :last
GROUP BY transaction_id HAVING sum(amount) <> 0

-- name: seals
SELECT DISTINCT p.transaction_id, 'a sealed transaction', 'none' FROM posting p
WHERE p.transaction_id BETWEEN :first AND :last
  AND NOT EXISTS (SELECT 1 FROM ledger_transaction t WHERE t.id = p.transaction_id)

-- Of new postings, by the one before in the account.
-- name: following
SELECT account_id || ' at ' || transaction_id, CAST(due AS TEXT), CAST(balance_after AS TEXT) FROM (
  SELECT p.account_id, p.transaction_id, p.balance_after,
         p.amount + coalesce((SELECT b.balance_after FROM posting b
                              WHERE b.account_id = p.account_id
                                AND b.transaction_id < p.transaction_id
                              ORDER BY b.transaction_id DESC LIMIT 1), 0) AS due
  FROM posting p WHERE p.transaction_id BETWEEN :first AND :last) x
WHERE balance_after <> due

-- A transaction of more than two postings is joined to some account that it must not touch.
-- name: bookings
SELECT id, coalesce(due || ' from ' || source || ' to ' || target, kind || ' of nothing known'),
       coalesce(taken || ' from ' || giver || ' to ' || taker, 'no such movement')
FROM (
  SELECT t.id, t.kind, g.account_id AS giver, -g.amount AS given, r.account_id AS taker,
         r.amount AS taken,
         CASE WHEN t.kind IN ('signup_grant', 'retirement', 'hold') THEN r.amount ELSE h.amount END AS due,
         CASE t.kind WHEN 'signup_grant' THEN 'issuer' WHEN 'hold' THEN 'agent:' || h.agent_id
                     WHEN 'retirement' THEN 'agent:' || a.id ELSE 'escrow:' || h.id END AS source,
         CASE t.kind WHEN 'signup_grant' THEN 'agent:' || a.id WHEN 'hold' THEN 'escrow:' || h.id
                     WHEN 'retirement' THEN 'issuer' ELSE 'agent:' || s.agent_id END AS target
  FROM ledger_transaction t
  LEFT JOIN posting g ON g.transaction_id = t.id AND g.amount < 0
  LEFT JOIN posting r ON r.transaction_id = t.id AND r.amount > 0
  LEFT JOIN agent a ON a.id = t.reference_id AND t.reference_type = 'agent'
                   AND (t.kind <> 'retirement' OR a.retired_at IS NOT NULL)
  LEFT JOIN hold h ON h.id = t.reference_id AND h.type = t.reference_type
  LEFT JOIN settlement s ON s.transaction_id = t.id AND s.hold_id = h.id AND s.outcome = t.kind
  WHERE t.id BETWEEN :first AND :last) x
WHERE NOT coalesce(giver = source AND taker = target AND given = due AND taken = due, FALSE)

-- name: accounts
SELECT a.id, CAST(coalesce(sum(p.amount), 0) AS TEXT), CAST(a.balance AS TEXT)
FROM account a LEFT JOIN posting p ON p.account_id = a.id
WHERE a.id BETWEEN :first AND :last
GROUP BY a.id HAVING a.balance <> coalesce(sum(p.amount), 0)

-- name: running
SELECT account_id || ' at ' || transaction_id, CAST(due AS TEXT), CAST(balance_after AS TEXT) FROM (
  SELECT account_id, transaction_id, balance_after,
         sum(amount) OVER (PARTITION BY account_id ORDER BY transaction_id) AS due
  FROM posting WHERE account_id BETWEEN :first AND :last) x
WHERE balance_after <> due

-- name: overdrawn
SELECT id, '0 or more', CAST(balance AS TEXT) FROM account
WHERE id BETWEEN :first AND :last AND balance < 0 AND id <> 'issuer'

-- name: escrow
SELECT id, CAST(held AS TEXT), CAST(balance AS TEXT) FROM (
  SELECT h.id, CASE WHEN h.status = 'OPEN' THEN h.amount ELSE 0 END AS held,
         coalesce(e.balance, 0) AS balance
  FROM hold h LEFT JOIN account e ON e.id = 'escrow:' || h.id
  WHERE h.id BETWEEN :first AND :last) x
WHERE held <> balance

-- What was set aside, at first and whenever a reward or a bounty was raised.
-- name: reserved
SELECT id, CAST(amount AS TEXT), CAST(taken AS TEXT) FROM (
  SELECT h.id, h.amount, (SELECT coalesce(sum(p.amount), 0) FROM posting p
                          WHERE p.account_id = 'escrow:' || h.id AND p.amount > 0) AS taken
  FROM hold h WHERE h.id BETWEEN :first AND :last) x
WHERE amount <> taken

-- name: settlements
SELECT h.id, CASE h.status WHEN 'OPEN' THEN 'no outcome' WHEN 'PAID' THEN 'payout' ELSE 'refund' END,
       coalesce(s.outcome, 'no outcome')
FROM hold h LEFT JOIN settlement s ON s.hold_id = h.id
WHERE h.id BETWEEN :first AND :last
  AND (CASE h.status WHEN 'OPEN' THEN 'no outcome' WHEN 'PAID' THEN 'payout' ELSE 'refund' END
       <> coalesce(s.outcome, 'no outcome')
       OR coalesce(s.amount, h.amount) <> h.amount
       OR (s.outcome = 'refund' AND s.agent_id <> h.agent_id))

-- name: movements
SELECT s.hold_id, s.outcome || ' of ' || s.amount || ' to ' || s.agent_id,
       coalesce(t.kind || ' of ' || p.amount, 'nothing booked')
FROM settlement s
LEFT JOIN ledger_transaction t ON t.id = s.transaction_id AND t.reference_id = s.hold_id
LEFT JOIN posting p ON p.transaction_id = s.transaction_id AND p.account_id = 'agent:' || s.agent_id
WHERE s.hold_id BETWEEN :first AND :last
  AND (t.kind IS NULL OR t.kind <> s.outcome OR p.amount IS NULL OR p.amount <> s.amount)

-- name: grants
SELECT reference_id, 'one grant', CAST(count(*) AS TEXT) || ' grants' FROM ledger_transaction
WHERE kind = 'signup_grant' AND reference_id BETWEEN :first AND :last
GROUP BY reference_id HAVING count(*) <> 1

-- All grants are summed, so of several parts the first does it for all.
-- name: minted
SELECT 'issuer', CAST(granted AS TEXT), CAST(minted AS TEXT) FROM (
  SELECT (SELECT -balance FROM account WHERE id = 'issuer') AS minted,
         coalesce((SELECT sum(CASE t.kind WHEN 'retirement' THEN -p.amount ELSE p.amount END)
                   FROM ledger_transaction t JOIN posting p ON p.transaction_id = t.id
                   WHERE t.kind IN ('signup_grant', 'retirement') AND p.amount > 0), 0) AS granted
  WHERE :first = '' AND :first <= :last) x
WHERE minted <> granted

-- name: subjects
SELECT h.id, h.type || ' ' || h.subject_id, 'none that names this hold' FROM hold h
WHERE h.id BETWEEN :first AND :last
  AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = h.id AND j.id = h.subject_id AND h.type = 'job')
  AND NOT EXISTS (SELECT 1 FROM thread t
                  WHERE t.id = h.subject_id AND h.type = 'bounty'
                    AND (t.bounty_id = h.id OR (h.status = 'REFUNDED' AND t.bounty_id > h.id)))
  AND NOT EXISTS (SELECT 1 FROM held_post p WHERE p.hold_id = h.id AND p.decided_at IS NULL AND h.status = 'OPEN')

-- A refund by decision and one by expiry leave different traces in the job.
-- name: jobs
SELECT id, due || ': ' || amount || ' of ' || creator_id || ' until ' || due_at,
       coalesce(held || ': ' || held_amount || ' of ' || agent_id || ' until ' || expires_at,
                'no hold')
FROM (
  SELECT j.id, j.amount, j.creator_id, j.due_at AS noted,
         CASE WHEN j.status = 'SUBMITTED' AND j.decide_by IS NOT NULL THEN j.decide_by
              WHEN j.status IN ('CLAIMED', 'REJECTED_REVISION_ALLOWED') AND j.claim_expires_at < j.deadline
              THEN j.claim_expires_at
              WHEN j.status IN ('OPEN', 'CLAIMED', 'SUBMITTED', 'REJECTED_REVISION_ALLOWED') THEN j.deadline
              ELSE h.expires_at END AS due_at,
         CASE j.status WHEN 'COMPLETED' THEN 'PAID by decision'
                       WHEN 'REJECTED_TERMINAL' THEN 'REFUNDED by decision'
                       WHEN 'REFUNDED_EXPIRED' THEN 'REFUNDED by expiry' ELSE 'OPEN' END AS due,
         h.status || CASE WHEN j.decided_at IS NULL THEN '' ELSE ' by decision' END
         || CASE WHEN j.expired_from IS NULL THEN '' ELSE ' by expiry' END AS held,
         h.amount AS held_amount, h.agent_id, h.expires_at
  FROM job j LEFT JOIN hold h ON h.id = j.id
  WHERE j.id BETWEEN :first AND :last) x
WHERE NOT coalesce(held = due AND held_amount = amount AND agent_id = creator_id
                   AND expires_at = due_at AND coalesce(noted, due_at) = due_at, FALSE)

-- name: threads
SELECT t.id, CASE t.status WHEN 'open' THEN 'OPEN or REFUNDED' ELSE 'PAID or REFUNDED' END
             || ' of ' || t.author_id,
       coalesce(h.status || ' of ' || h.agent_id, 'no bounty')
FROM thread t LEFT JOIN hold h ON h.id = t.bounty_id AND h.subject_id = t.id
WHERE t.id BETWEEN :first AND :last AND t.bounty_id IS NOT NULL
  AND (h.id IS NULL OR h.agent_id <> t.author_id
       OR h.status = CASE t.status WHEN 'open' THEN 'PAID' ELSE 'OPEN' END)

-- name: completions
SELECT id, 'paid ' || coalesce(earner, 'nobody') || ', events: ' || due || ' of '
           || coalesce(earner, 'nobody'),
       'paid ' || coalesce(paid, 'nobody') || ', events: ' || counted || ' of '
       || coalesce(agent_id, 'nobody')
FROM (
  SELECT j.id, CASE j.status WHEN 'COMPLETED' THEN j.claimer_id END AS earner,
         CASE j.status WHEN 'COMPLETED' THEN 1 ELSE 0 END AS due,
         max(s.agent_id) AS paid, count(e.id) AS counted, max(e.agent_id) AS agent_id
  FROM job j
  LEFT JOIN settlement s ON s.hold_id = j.id AND s.outcome = 'payout'
  LEFT JOIN reputation_event e ON e.reference_id = j.id AND e.type = 'job_completed'
  WHERE j.id BETWEEN :first AND :last GROUP BY j.id) x
WHERE counted <> due OR paid IS DISTINCT FROM earner OR agent_id IS DISTINCT FROM earner

-- An answer that was accepted after its bounty went back, or without one, is paid to nobody.
-- name: answers
SELECT id, 'events: ' || due || ' of ' || coalesce(author_id, 'nobody'),
       'events: ' || counted || ' of ' || coalesce(agent_id, 'nobody')
       || coalesce(', paid ' || paid, '')
FROM (
  SELECT t.id, r.author_id, CASE t.status WHEN 'answered' THEN 1 ELSE 0 END AS due,
         max(s.agent_id) AS paid, count(e.id) AS counted, max(e.agent_id) AS agent_id
  FROM thread t
  LEFT JOIN reply r ON r.id = t.accepted_reply_id AND r.thread_id = t.id
  LEFT JOIN settlement s ON s.hold_id = t.bounty_id AND s.outcome = 'payout'
  LEFT JOIN reputation_event e ON e.reference_id = t.id AND e.type = 'answer_accepted'
  WHERE t.id BETWEEN :first AND :last GROUP BY t.id, r.author_id) x
WHERE counted <> due OR agent_id IS DISTINCT FROM author_id
   OR (paid IS NOT NULL AND paid IS DISTINCT FROM author_id)

-- name: events
SELECT e.id, 'a job or thread', e.type || ' of ' || e.reference_id FROM reputation_event e
WHERE e.agent_id BETWEEN :first AND :last
  AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = e.reference_id AND e.type = 'job_completed')
  AND NOT EXISTS (SELECT 1 FROM thread t
                  WHERE t.id = e.reference_id AND e.type = 'answer_accepted')

-- name: scores
SELECT id, CAST(earned AS TEXT), CAST(reputation AS TEXT) FROM (
  SELECT a.id, a.reputation,
         a.adjustment + coalesce((SELECT sum(CASE e.type WHEN 'answer_accepted' THEN 10 ELSE 20 END)
                   FROM reputation_event e WHERE e.agent_id = a.id), 0) AS earned
  FROM agent a WHERE a.id BETWEEN :first AND :last) x
WHERE earned <> reputation
UNION ALL
SELECT c.agent_id || ' as ' || c.capability, CAST(a.reputation AS TEXT), CAST(c.reputation AS TEXT)
FROM agent a JOIN agent_capability c ON c.agent_id = a.id
WHERE a.id BETWEEN :first AND :last AND c.reputation <> a.reputation

-- name: records
SELECT agent_id || ' as ' || kind || ' ' || outcome, CAST(sum(due) AS TEXT), CAST(sum(kept) AS TEXT) FROM (
  SELECT c.agent_id, c.kind, c.outcome, c.number AS due, 0 AS kept FROM ({{counted}}) c
  UNION ALL
  SELECT agent_id, kind, outcome, 0, number FROM record WHERE agent_id BETWEEN :first AND :last) x
GROUP BY agent_id, kind, outcome HAVING sum(due) <> sum(kept)

-- What is counted of each agent, for a database that was filled without its operations.
-- name: recounted
{{counted}}

-- name: count_{subject}
-- each subject: transactions = ledger_transaction | accounts = account | holds = hold | jobs = job | threads = thread | agents = agent
SELECT count(*) FROM {{subject}} WHERE id BETWEEN :first AND :last

-- name: chunk_{subject}
-- each subject: transactions = ledger_transaction | accounts = account | holds = hold | jobs = job | threads = thread | agents = agent
SELECT id FROM {{subject}} WHERE id > :after ORDER BY id LIMIT 1 OFFSET :size

-- name: touched
SELECT p.account_id, t.id, t.reference_type, t.reference_id, h.subject_id
FROM ledger_transaction t JOIN posting p ON p.transaction_id = t.id
LEFT JOIN hold h ON h.id = t.reference_id
WHERE t.id > :after ORDER BY t.id LIMIT :limit

-- name: newest_transaction
SELECT id FROM ledger_transaction ORDER BY id DESC LIMIT 1
