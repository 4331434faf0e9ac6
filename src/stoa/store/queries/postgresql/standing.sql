-- name: joined
SELECT a.id, a.created_at FROM agent a
WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND a.retired_at IS NULL
