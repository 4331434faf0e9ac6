-- name: live_tokens
SELECT hash, agent_id FROM token
WHERE hash IN (SELECT unhex(value) FROM json_each(:hashes))
  AND revoked_at IS NULL AND expires_at > :now

-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND hash IN (SELECT unhex(value) FROM json_each(:hashes)) AND revoked_at IS NULL
