-- Invites of the operator, and whether new keys may register.

-- name: insert
INSERT INTO invite (digest, uses_left, created_at, expires_at) VALUES (:digest, :uses, :now, :expires_at)

-- name: use
UPDATE invite SET uses_left = uses_left - 1 WHERE digest = :digest AND uses_left > 0 AND expires_at > :now

-- name: count_open
SELECT CAST(coalesce(sum(uses_left), 0) AS BIGINT) FROM invite WHERE uses_left > 0 AND expires_at > :now

-- name: sweep
DELETE FROM invite WHERE expires_at <= :now OR uses_left = 0

-- name: set_signups
INSERT INTO stop (name, reason, created_at) VALUES ('signups', :state, :now)
ON CONFLICT (name) DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at

-- name: signups
SELECT reason FROM stop WHERE name = 'signups'
