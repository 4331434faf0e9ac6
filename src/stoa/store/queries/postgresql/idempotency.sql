-- name: take
-- 3 is the rule of idempotency keys, beside those of `locks.sql`.
SELECT pg_try_advisory_xact_lock(hashtextextended(:id, 3))
