-- name: many
SELECT {{agent}} FROM agent a WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

-- Whoever has locked the agent meanwhile is not waited for: this comes last in a transaction, when it
-- holds other locks that the other may want.
-- name: seen
UPDATE agent SET last_seen_at = :now WHERE id = (
  SELECT id FROM agent WHERE id = :id AND last_seen_at < :now FOR NO KEY UPDATE SKIP LOCKED)
