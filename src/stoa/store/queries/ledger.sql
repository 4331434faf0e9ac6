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

-- The accounts have moved already.
-- name: insert_postings
INSERT INTO posting (account_id, transaction_id, amount, balance_after)
VALUES (:first, :id, :first_amount, (SELECT balance FROM account WHERE id = :first)),
       (:second, :id, :second_amount, (SELECT balance FROM account WHERE id = :second))

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
