-- name: give
INSERT INTO account AS a (id, balance) VALUES (:id, :amount)
ON CONFLICT (id) DO UPDATE SET balance = a.balance + excluded.balance

-- name: take
UPDATE account SET balance = balance - :amount
WHERE id = :id AND (balance - :amount >= 0 OR id = 'issuer')

-- The newest transaction of two accounts.
-- name: newest
SELECT max(id) FROM (
  SELECT max(transaction_id) AS id FROM posting WHERE account_id = :first
  UNION ALL SELECT max(transaction_id) FROM posting WHERE account_id = :second) x

-- name: balance
SELECT balance FROM account WHERE id = :id

-- The account has moved already. One statement for both rows would first write them to a table in memory, on SQLite.
-- name: post_{place}
-- each place: first = :account | second = :account
INSERT INTO posting (account_id, transaction_id, amount, balance_after)
VALUES ({{place}}, :id, :amount, (SELECT balance FROM account WHERE id = :account))

-- name: seal
INSERT INTO ledger_transaction (id, kind, reference_type, reference_id, created_at)
VALUES (:id, :kind, :reference_type, :reference_id, :now)

-- What moved the account, and what was paid out of holds of its agent, which did not.
-- name: entries
WITH page AS MATERIALIZED (
  SELECT p.transaction_id AS id, p.amount AS amount, p.balance_after AS balance, NULL AS hold_id
  FROM posting p WHERE p.account_id = :account_id AND p.transaction_id < :before
  UNION ALL
  SELECT o.transaction_id, 0, NULL, o.hold_id
  FROM paid_out o WHERE o.agent_id = :agent_id AND o.transaction_id < :before
  ORDER BY id DESC LIMIT :limit OFFSET :offset)
SELECT t.id, CASE WHEN p.hold_id IS NULL THEN t.kind ELSE 'paid_out' END, p.amount,
       coalesce(p.balance, (
         SELECT b.balance_after FROM posting b
         WHERE b.account_id = :account_id AND b.transaction_id < p.id
         ORDER BY b.transaction_id DESC LIMIT 1)),
       t.reference_type, t.reference_id, t.created_at, s.agent_id,
       CASE WHEN j.removed_at IS NULL THEN j.title END,
       CASE WHEN q.removed_at IS NULL THEN q.title END
FROM page p CROSS JOIN ledger_transaction t LEFT JOIN settlement s ON s.hold_id = p.hold_id
LEFT JOIN hold h ON h.id = p.hold_id
LEFT JOIN job j ON j.id = h.subject_id LEFT JOIN thread q ON q.id = h.subject_id
WHERE t.id = p.id ORDER BY p.id DESC

-- name: stop
INSERT INTO stop (name, reason, created_at) VALUES ('settlements', :reason, :now)
ON CONFLICT DO NOTHING

-- name: resume
DELETE FROM stop WHERE name = 'settlements'

-- name: stopped
SELECT reason FROM stop WHERE name = 'settlements'
