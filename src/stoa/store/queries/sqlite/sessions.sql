-- name: live_tokens
SELECT hash, agent_id FROM token
WHERE hash IN (SELECT unhex(value) FROM json_each(:hashes)) AND revoked_at IS NULL AND expires_at > :now
UNION ALL
SELECT r.hash, r.agent_id FROM refresh_token r
JOIN token t ON t.agent_id = r.agent_id AND t.session_id = r.session_id
WHERE r.hash IN (SELECT unhex(value) FROM json_each(:hashes)) AND coalesce(r.used_at, :now) > :used_after AND r.expires_at > :now AND t.revoked_at IS NULL

-- Not found by their agent, which may have many more.
-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE agent_id || '' = :agent_id AND revoked_at IS NULL AND hash IN (
  SELECT unhex(value) FROM json_each(:hashes)
  UNION ALL
  SELECT t.hash FROM json_each(:hashes) asked
  JOIN refresh_token r ON r.hash = unhex(asked.value)
  JOIN token t ON t.agent_id = r.agent_id AND t.session_id = r.session_id)

-- name: note_used
UPDATE token SET last_used_at = u.value FROM json_each(:used) u
WHERE hash = unhex(u.key) AND last_used_at < u.value

-- name: live_sessions
SELECT t.session_id, CASE WHEN a.pending_at IS NOT NULL THEN 'pending' WHEN a.suspended_until <= :now THEN 'active' ELSE a.status END, a.version,
  (SELECT max(m.created_at) FROM moderation_act m WHERE m.subject_id = a.id AND m.action = 'suspend')
FROM json_each(:sessions) given
CROSS JOIN token t ON t.agent_id = given.value AND t.session_id = given.key
JOIN agent a ON a.id = t.agent_id
WHERE t.revoked_at IS NULL AND t.expires_at > :now AND t.key_number = a.key_number
  AND a.retired_at IS NULL AND coalesce(a.key_change_at, t.expires_at) > :now

-- One that was made before a restore may have been used behind the backup, which does not know it.
-- name: use_challenge
INSERT INTO challenge_used (hash, expires_at) SELECT :hash, :expires_at
WHERE NOT EXISTS (SELECT 1 FROM event_log_state WHERE name = 'event' AND epoch * 1000 > :made_at)
ON CONFLICT DO NOTHING
