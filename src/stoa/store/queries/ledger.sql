-- name: open_account
INSERT INTO account (id, balance) VALUES (:id, 0) ON CONFLICT DO NOTHING

-- name: move
UPDATE account SET balance = balance + :amount
WHERE id = :id AND (balance + :amount >= 0 OR id = 'issuer') RETURNING balance

-- The newest transaction of two accounts.
-- name: newest
SELECT max(id) FROM (
  SELECT max(transaction_id) AS id FROM posting WHERE account_id = :source
  UNION ALL SELECT max(transaction_id) FROM posting WHERE account_id = :target) x

-- name: balance
SELECT balance FROM account WHERE id = :id

-- name: insert_posting
INSERT INTO posting (account_id, transaction_id, amount, balance_after)
VALUES (:account_id, :transaction_id, :amount, :balance_after)

-- name: seal
INSERT INTO ledger_transaction (id, kind, reference_type, reference_id, created_at)
VALUES (:id, :kind, :reference_type, :reference_id, :now)

-- name: entries
SELECT t.id, t.kind, p.amount, p.balance_after, t.reference_type, t.reference_id, t.created_at
FROM posting p JOIN ledger_transaction t ON t.id = p.transaction_id
WHERE p.account_id = :account_id AND p.transaction_id < :before
ORDER BY p.transaction_id DESC LIMIT :limit OFFSET :offset

-- name: stop
INSERT INTO stop (name, reason, created_at) VALUES ('settlements', :reason, :now)
ON CONFLICT DO NOTHING

-- name: resume
DELETE FROM stop WHERE name = 'settlements'

-- name: stopped
SELECT reason FROM stop WHERE name = 'settlements'
