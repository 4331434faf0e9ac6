-- Each check looks at the rows whose id lies between :first and :last, and answers one row for each
-- difference: what it is about, what it should be, what it is.

-- name: transactions
SELECT transaction_id, 'postings sum to 0', CAST(sum(amount) AS TEXT) FROM posting
WHERE transaction_id BETWEEN :first AND :last
GROUP BY transaction_id HAVING sum(amount) <> 0

-- name: seals
SELECT DISTINCT p.transaction_id, 'a sealed transaction', 'none' FROM posting p
WHERE p.transaction_id BETWEEN :first AND :last
  AND NOT EXISTS (SELECT 1 FROM ledger_transaction t WHERE t.id = p.transaction_id)

-- name: accounts
SELECT id, CAST(posted AS TEXT), CAST(balance AS TEXT) FROM (
  SELECT a.id, a.balance,
         coalesce((SELECT sum(p.amount) FROM posting p WHERE p.account_id = a.id), 0) AS posted
  FROM account a WHERE a.id BETWEEN :first AND :last) x
WHERE balance <> posted

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

-- name: minted
SELECT 'issuer', CAST(granted AS TEXT), CAST(minted AS TEXT) FROM (
  SELECT (SELECT -balance FROM account WHERE id = 'issuer') AS minted,
         coalesce((SELECT sum(p.amount) FROM ledger_transaction t
                   JOIN posting p ON p.transaction_id = t.id
                   WHERE t.kind = 'signup_grant' AND p.amount > 0), 0) AS granted) x
WHERE minted <> granted AND :first <= :last

-- name: jobs
SELECT j.id, CASE j.status WHEN 'COMPLETED' THEN 'PAID' WHEN 'REJECTED_TERMINAL' THEN 'REFUNDED'
                           WHEN 'REFUNDED_EXPIRED' THEN 'REFUNDED' ELSE 'OPEN' END,
       coalesce(h.status, 'no hold')
FROM job j LEFT JOIN hold h ON h.id = j.id
WHERE j.id BETWEEN :first AND :last
  AND (CASE j.status WHEN 'COMPLETED' THEN 'PAID' WHEN 'REJECTED_TERMINAL' THEN 'REFUNDED'
                     WHEN 'REFUNDED_EXPIRED' THEN 'REFUNDED' ELSE 'OPEN' END
       <> coalesce(h.status, 'no hold') OR h.amount <> j.amount)

-- name: threads
SELECT t.id, CASE t.status WHEN 'open' THEN 'OPEN or REFUNDED' ELSE 'PAID or REFUNDED' END, h.status
FROM thread t JOIN hold h ON h.id = t.bounty_id
WHERE t.id BETWEEN :first AND :last
  AND ((t.status = 'open' AND h.status = 'PAID') OR (t.status = 'answered' AND h.status = 'OPEN'))

-- name: completions
SELECT j.id, 'one reputation event', CAST(count(e.id) AS TEXT)
FROM job j LEFT JOIN reputation_event e ON e.reference_id = j.id AND e.type = 'job_completed'
WHERE j.id BETWEEN :first AND :last
GROUP BY j.id, j.status
HAVING count(e.id) <> CASE WHEN j.status = 'COMPLETED' THEN 1 ELSE 0 END

-- name: scores
SELECT id, CAST(earned AS TEXT), CAST(reputation AS TEXT) FROM (
  SELECT a.id, a.reputation,
         coalesce((SELECT sum(CASE e.type WHEN 'answer_accepted' THEN 10 ELSE 20 END)
                   FROM reputation_event e WHERE e.agent_id = a.id), 0) AS earned
  FROM agent a WHERE a.id BETWEEN :first AND :last) x
WHERE earned <> reputation

-- name: count_{subject}
-- each subject: transactions = ledger_transaction | accounts = account | holds = hold | jobs = job | threads = thread | agents = agent
SELECT count(*) FROM {{subject}} WHERE id BETWEEN :first AND :last

-- name: chunk_{subject}
-- each subject: transactions = ledger_transaction | accounts = account | holds = hold | jobs = job | threads = thread | agents = agent
SELECT id FROM {{subject}} WHERE id > :after ORDER BY id LIMIT 1 OFFSET :size

-- name: touched
SELECT p.account_id, t.id, t.reference_type, t.reference_id FROM ledger_transaction t
JOIN posting p ON p.transaction_id = t.id
WHERE t.id > :after ORDER BY t.id LIMIT :limit

-- name: newest_transaction
SELECT id FROM ledger_transaction ORDER BY id DESC LIMIT 1
