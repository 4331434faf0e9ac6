-- let asked: ARRAY(SELECT decode(json_array_elements_text(CAST(:hashes AS JSON)), 'hex'))

-- name: end_soonest
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND hash = ANY (ARRAY(
  SELECT hash FROM token WHERE {{live}}
  ORDER BY ends_at DESC, session_id DESC LIMIT :most OFFSET :kept))

-- name: live_tokens
SELECT hash, agent_id FROM token
WHERE hash = ANY ({{asked}}) AND revoked_at IS NULL AND expires_at > :now
UNION ALL
SELECT r.hash, r.agent_id FROM refresh_token r
JOIN token t ON t.agent_id = r.agent_id AND t.session_id = r.session_id
WHERE r.hash = ANY ({{asked}}) AND coalesce(r.used_at, :now) > :used_after AND r.expires_at > :now AND t.revoked_at IS NULL

-- Not found by their agent, which may have many more.
-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE agent_id || '' = :agent_id AND revoked_at IS NULL AND hash = ANY (ARRAY(
  SELECT unnest({{asked}})
  UNION ALL
  SELECT t.hash FROM refresh_token r JOIN token t ON t.agent_id = r.agent_id AND t.session_id = r.session_id
  WHERE r.hash = ANY ({{asked}})))

-- A token that another process has locked is left out: several note their calls at once.
-- name: note_used
WITH here AS MATERIALIZED (
  SELECT t.hash, CAST(u.value AS BIGINT) AS at FROM json_each_text(CAST(:used AS JSON)) u
  JOIN token t ON t.hash = decode(u.key, 'hex')
  WHERE t.last_used_at < CAST(u.value AS BIGINT) FOR NO KEY UPDATE OF t SKIP LOCKED)
UPDATE token SET last_used_at = here.at FROM here WHERE token.hash = here.hash

-- name: live_sessions
SELECT t.session_id, CASE WHEN a.pending_at IS NOT NULL THEN 'pending' WHEN a.suspended_until <= :now THEN 'active' ELSE a.status END, a.version,
  (SELECT max(m.created_at) FROM moderation_act m WHERE m.subject_id = a.id AND m.action = 'suspend')
FROM json_each_text(CAST(:sessions AS JSON)) given
JOIN token t ON t.agent_id = given.value AND t.session_id = given.key
JOIN agent a ON a.id = t.agent_id
WHERE t.revoked_at IS NULL AND t.expires_at > :now AND t.key_number = a.key_number
  AND a.retired_at IS NULL AND coalesce(a.key_change_at, t.expires_at) > :now

-- One that was made before a restore may have been used behind the backup, which does not know it.
-- name: use_challenge
INSERT INTO challenge_used (hash, expires_at) SELECT CAST(:hash AS BYTEA), CAST(:expires_at AS BIGINT)
WHERE NOT EXISTS (SELECT 1 FROM event_log_state WHERE name = 'event' AND epoch * 1000 > :made_at)
ON CONFLICT DO NOTHING
