-- name: insert
INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at)
VALUES (:id, :action, :resource_type, :resource_id, :agent_id, :now)

-- name: first
SELECT id, agent_id, created_at FROM receipt
WHERE resource_id = :resource_id AND action = :action ORDER BY id LIMIT 1
