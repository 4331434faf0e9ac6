-- name: live_tokens
SELECT hash, agent_id FROM token
WHERE hash IN (SELECT unhex(value) FROM json_each(:hashes))
  AND revoked_at IS NULL AND expires_at > :now

-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND hash IN (SELECT unhex(value) FROM json_each(:hashes)) AND revoked_at IS NULL

-- name: note_used
UPDATE token SET last_used_at = u.value FROM json_each(:used) u
WHERE hash = unhex(u.key) AND last_used_at < u.value
