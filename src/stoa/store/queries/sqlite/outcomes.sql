-- name: hidden
SELECT id FROM outcome WHERE id IN (SELECT value FROM json_each(:ids)) AND removed_at IS NOT NULL
