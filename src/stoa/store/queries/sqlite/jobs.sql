-- name: many
SELECT {{job}} FROM job j WHERE j.id IN (SELECT value FROM json_each(:ids))
