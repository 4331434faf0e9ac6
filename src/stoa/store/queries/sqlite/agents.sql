-- name: many
SELECT {{agent}} FROM agent a WHERE a.id IN (SELECT value FROM json_each(:ids))
