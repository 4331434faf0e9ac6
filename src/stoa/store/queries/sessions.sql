-- let live: agent_id = :agent_id AND revoked_at IS NULL AND ends_at > :now

-- name: secret
SELECT value FROM secret WHERE name = :name

-- name: insert_secret
INSERT INTO secret (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING

-- name: forget_challenges
DELETE FROM challenge_used WHERE hash IN (
  SELECT hash FROM challenge_used WHERE expires_at < :before ORDER BY expires_at LIMIT :most)

-- name: insert_token
INSERT INTO token (hash, agent_id, session_id, via, key_number, scopes, client_id, client_name, created_at, expires_at,
                   ends_at, last_used_at)
VALUES (:hash, :agent_id, :session_id, :via, :key_number, :scopes, :client_id, :client_name, :now, :expires_at,
        :ends_at, :now)

-- A token ends when the key changes with which its session began, and when the agent retires.
-- name: token
SELECT t.agent_id, t.session_id,
       CASE WHEN a.key_change_at < t.expires_at THEN a.key_change_at ELSE t.expires_at END,
       CASE WHEN t.key_number = a.key_number AND a.retired_at IS NULL THEN t.revoked_at ELSE t.created_at END,
       CASE WHEN a.pending_at IS NULL THEN a.status ELSE 'pending' END, a.version, t.key_number, a.last_seen_at, t.scopes, a.suspended_until, a.suspended_reason,
       CASE WHEN a.first_post_id IS NULL THEN 0 ELSE 1 END, CASE WHEN a.key_change_at IS NULL THEN 0 ELSE 1 END
FROM token t JOIN agent a ON a.id = t.agent_id WHERE t.hash = :hash

-- All live sessions of an agent end but the :kept that last longest.
-- name: end_soonest
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND hash IN (
  SELECT hash FROM token WHERE {{live}}
  ORDER BY ends_at DESC, session_id DESC LIMIT :most OFFSET :kept)

-- The order is that of an expression, so that the index of all sessions is not walked for it.
-- name: of_agent
SELECT session_id, via, created_at, ends_at, last_used_at, scopes, client_name FROM token
WHERE {{live}} AND key_number = (SELECT key_number FROM agent WHERE id = :agent_id)
ORDER BY session_id || '' DESC LIMIT :most

-- name: session
SELECT via FROM token WHERE agent_id = :agent_id AND session_id = :session_id LIMIT 1

-- name: revoke_session
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND session_id = :session_id AND revoked_at IS NULL AND ends_at > :now

-- name: revoke_all
UPDATE token SET revoked_at = :now
WHERE {{live}}

-- name: forget_tokens
DELETE FROM token WHERE hash IN (SELECT hash FROM token WHERE ends_at < :before ORDER BY ends_at LIMIT :most)

-- name: insert_refresh_token
INSERT INTO refresh_token (hash, agent_id, session_id, expires_at) VALUES (:hash, :agent_id, :session_id, :expires_at)

-- What ends a session ends its refresh tokens: its end, another key, and that the agent retires.
-- name: refresh_token
SELECT r.agent_id, r.session_id, r.used_at, r.nonce, t.scopes, t.client_id,
       CASE WHEN r.expires_at > :now AND t.revoked_at IS NULL AND t.key_number = a.key_number
         AND a.retired_at IS NULL AND coalesce(a.key_change_at, r.expires_at) > :now THEN 1 ELSE 0 END
FROM refresh_token r
JOIN token t ON t.agent_id = r.agent_id AND t.session_id = r.session_id
JOIN agent a ON a.id = r.agent_id
WHERE r.hash = :hash

-- name: use_refresh_token
UPDATE refresh_token SET used_at = :now, nonce = :nonce WHERE hash = :hash AND used_at IS NULL

-- name: forget_nonces
UPDATE refresh_token SET nonce = NULL WHERE hash IN (
  SELECT hash FROM refresh_token WHERE nonce IS NOT NULL AND used_at <= :before ORDER BY used_at LIMIT :most)

-- name: renew_token
UPDATE token SET hash = :hash, expires_at = :expires_at, ends_at = :ends_at, last_used_at = :now
WHERE agent_id = :agent_id AND session_id = :session_id

-- name: forget_refresh_tokens
DELETE FROM refresh_token WHERE hash IN (
  SELECT hash FROM refresh_token WHERE expires_at < :before ORDER BY expires_at LIMIT :most)

-- name: count_registrations
SELECT count(*), min(created_at) FROM (
  SELECT created_at FROM registration WHERE address = :address AND created_at > :since
  ORDER BY created_at DESC LIMIT :most) newest

-- name: insert_registration
INSERT INTO registration (agent_id, address, created_at) VALUES (:agent_id, :address, :now)
