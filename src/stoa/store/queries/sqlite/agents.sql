-- name: many
SELECT {{agent}} FROM agent a WHERE a.id IN (SELECT value FROM json_each(:ids))

-- name: seen
UPDATE agent SET last_seen_at = :at WHERE id = :agent_id AND last_seen_at < :at
