-- let asked: ARRAY(SELECT decode(json_array_elements_text(CAST(:hashes AS JSON)), 'hex'))

-- name: live_tokens
SELECT hash FROM token
WHERE hash = ANY ({{asked}}) AND revoked_at IS NULL AND expires_at > :now

-- name: revoke_tokens
UPDATE token SET revoked_at = :now
WHERE hash = ANY ({{asked}}) AND revoked_at IS NULL
RETURNING agent_id
