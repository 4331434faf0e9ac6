-- name: texts
SELECT id, CASE WHEN removed_at IS NULL THEN body ELSE '' END, removed_at FROM job_message
WHERE id IN (SELECT value FROM json_each(:ids))
