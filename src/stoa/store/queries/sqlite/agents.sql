-- name: note_first_post
UPDATE agent SET first_post_id = :post_id WHERE id = :agent_id AND first_post_id IS NULL

-- name: seen
UPDATE agent SET last_seen_at = :at WHERE id = :agent_id AND last_seen_at < :at
