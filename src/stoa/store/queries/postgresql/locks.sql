-- What a transaction locks before it reads what it then changes: rows in the order of their ids, or
-- a name for rows that do not exist yet. Nothing that only refers to a row waits for its lock.

-- name: {table}
-- each table: agent = agent | thread = thread | job = job | account = account
-- With `unnest` the plan is the same for any number of ids, so PostgreSQL does not plan it each time.
SELECT id FROM {{table}} WHERE id = ANY (ARRAY(SELECT unnest(CAST(:ids AS TEXT[])))) ORDER BY id FOR NO KEY UPDATE

-- The claimer of a job, which keeps it.
-- name: claimer
SELECT id FROM agent WHERE id = (SELECT claimer_id FROM job WHERE id = (CAST(:ids AS TEXT[]))[1])
FOR NO KEY UPDATE

-- Idempotency keys have the number 3 too (`idempotency.sql`); a text of theirs has a space, so it is none of these. Other numbers
-- would lock nothing against the programs that are still to be upgraded.
-- name: {rule}
-- each rule: address = 1 | key = 2 | moderation = 3
SELECT pg_advisory_xact_lock(hashtextextended(id, {{rule}}))
FROM (SELECT id FROM unnest(CAST(:ids AS TEXT[])) id ORDER BY id) x
