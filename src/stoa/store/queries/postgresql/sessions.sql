-- let asked: ARRAY(SELECT decode(json_array_elements_text(CAST(:hashes AS JSON)), 'hex'))

-- name: live_tokens
SELECT hash, agent_id FROM token
WHERE hash = ANY ({{asked}}) AND revoked_at IS NULL AND expires_at > :now

-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE agent_id = :agent_id AND hash = ANY ({{asked}}) AND revoked_at IS NULL
