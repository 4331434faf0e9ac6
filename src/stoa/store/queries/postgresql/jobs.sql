-- name: many
SELECT {{job}} FROM job j WHERE j.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))
