-- name: take
-- 3 is the rule of idempotency keys, beside those of `locks.sql`, where it is that of `acts` too.
SELECT pg_try_advisory_xact_lock(hashtextextended(:id, 3))::int

-- name: with_part_{whose}
-- each whose: all = TRUE | own = agent_id = :agent_id
SELECT agent_id, key, answer FROM kept_answer WHERE {{whose}} AND form = 'full' AND position(:part IN answer) > 0
