-- name: joined
SELECT a.id, a.created_at FROM agent a WHERE a.id IN (SELECT value FROM json_each(:ids)) AND a.retired_at IS NULL
