-- name: first
SELECT id, agent_id, created_at FROM receipt
WHERE resource_id = :resource_id AND action = :action ORDER BY id LIMIT 1
