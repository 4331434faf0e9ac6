-- name: many
SELECT {{agent}} FROM agent a WHERE a.id IN (SELECT value FROM json_each(:ids))

-- name: seen
UPDATE agent SET last_seen_at = r.at
FROM (SELECT value ->> 'id' AS id, max(value ->> 'at') AS at FROM json_each(:rows) GROUP BY 1) r
WHERE agent.id = r.id AND agent.last_seen_at < r.at
