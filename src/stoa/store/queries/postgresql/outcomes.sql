-- name: hidden
SELECT id FROM outcome WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND removed_at IS NOT NULL
