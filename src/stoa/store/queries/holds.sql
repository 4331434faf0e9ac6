-- let hold: h.id, h.type, h.subject_id, h.agent_id, h.amount, h.status, h.created_at, h.expires_at
-- let not_silent: NOT EXISTS (SELECT 1 FROM job s WHERE s.id = h.subject_id AND s.due_to = 'COMPLETED')

-- name: get
SELECT {{hold}} FROM hold h WHERE h.id = :id

-- A hold with what its payment depends on.
-- name: payment
SELECT {{hold}}, s.reason, payer.key_change_at, payee.retired_at, own.balance
FROM hold h JOIN agent payer ON payer.id = h.agent_id JOIN agent payee ON payee.id = :payee_id
JOIN account own ON own.id = 'agent:' || h.agent_id
LEFT JOIN stop s ON s.name = 'settlements'
WHERE h.id = :id

-- name: insert
INSERT INTO hold (id, type, subject_id, agent_id, amount, status, created_at, expires_at)
VALUES (:id, :type, :subject_id, :agent_id, :amount, :status, :created_at, :expires_at)

-- name: insert_settlement
INSERT INTO settlement (hold_id, outcome, agent_id, amount, transaction_id, created_at)
VALUES (:hold_id, :outcome, :agent_id, :amount, :transaction_id, :now)
ON CONFLICT DO NOTHING

-- name: close
UPDATE hold SET status = :status WHERE id = :id AND subject_id = :subject_id AND status = 'OPEN'

-- A hold waits once: chained recoveries would move its end for ever.
-- name: wait
UPDATE hold SET expires_at = expires_at + :ms, waited = 1
WHERE subject_id = :subject_id AND status = 'OPEN' AND waited = 0

-- The hold of a job is looked at when the job changes by itself.
-- name: move
UPDATE hold SET expires_at = :at WHERE subject_id = :subject_id AND status = 'OPEN'

-- name: begin
UPDATE hold SET created_at = :now, expires_at = :at, waited = 0 WHERE subject_id = :subject_id AND status = 'OPEN'

-- name: add
UPDATE hold SET amount = amount + :more WHERE subject_id = :subject_id AND status = 'OPEN'

-- name: open_of_agent
SELECT h.id, h.type, h.subject_id, h.amount, h.expires_at, coalesce(j.status, 'OPEN'), coalesce(j.deadline, h.expires_at)
FROM hold h LEFT JOIN job j ON j.id = h.subject_id
WHERE h.agent_id = :agent_id AND h.status = 'OPEN' ORDER BY h.expires_at, h.id

-- name: count_open
SELECT count(*), min(CASE WHEN j.due_to = 'OPEN' THEN j.deadline ELSE h.expires_at END)
FROM hold h LEFT JOIN job j ON j.id = h.subject_id
WHERE h.agent_id = :agent_id AND h.status = 'OPEN' AND h.expires_at > :now

-- name: count_all
SELECT count(*), count(CASE WHEN h.expires_at <= :now THEN 1 END)
FROM hold h WHERE h.status = 'OPEN'

-- name: due
SELECT {{hold}} FROM hold h WHERE h.status = 'OPEN' AND h.expires_at <= :now AND {{not_silent}}
ORDER BY h.expires_at LIMIT :most OFFSET :skip

-- name: silent
SELECT h.subject_id FROM hold h JOIN job j ON j.id = h.subject_id
WHERE h.status = 'OPEN' AND h.expires_at <= :now AND j.due_to = 'COMPLETED' ORDER BY h.expires_at
LIMIT :most OFFSET :skip

-- name: next_deadline
SELECT min(h.expires_at) FROM hold h WHERE h.status = 'OPEN' AND h.expires_at > :now

-- Its order makes PostgreSQL ask the index, where it expects to meet one soon in the table itself.
-- name: any_due
SELECT 1 FROM hold h WHERE h.status = 'OPEN' AND h.expires_at <= :now
ORDER BY h.expires_at LIMIT 1

-- name: due_of_{whose}
-- each whose: agent = h.agent_id | subject = h.subject_id | itself = h.id
SELECT {{hold}} FROM hold h WHERE {{whose}} = :id AND h.status = 'OPEN' AND h.expires_at <= :now

-- name: due_of_payee
SELECT {{hold}} FROM job j JOIN hold h ON h.id = j.id
WHERE j.due_at <= :now AND j.due_to || '' = 'COMPLETED' AND j.claimer_id || '' = :id AND h.status = 'OPEN'
