-- name: many
SELECT {{agent}} FROM agent a WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))
