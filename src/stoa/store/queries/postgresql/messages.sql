-- name: texts
SELECT id, CASE WHEN removed_at IS NULL THEN body ELSE '' END, removed_at FROM job_message
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))
