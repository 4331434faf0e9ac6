-- name: many
SELECT {{agent}} FROM agent WHERE id IN (SELECT value FROM json_each(:ids))
