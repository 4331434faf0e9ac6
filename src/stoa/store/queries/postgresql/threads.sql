-- name: many
SELECT {{thread}} FROM thread t JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))
