-- name: take
-- 3 is the rule of idempotency keys, beside those of `locks.sql`, where it is that of `acts` too.
SELECT pg_try_advisory_xact_lock(hashtextextended(:id, 3))::int

-- name: with_part
SELECT agent_id, key, answer FROM kept_answer WHERE agent_id = :agent_id AND form = 'full' AND position(:part IN answer) > 0
