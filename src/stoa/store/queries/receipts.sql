-- name: insert
INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at)
VALUES (:id, :action, :resource_type, :resource_id, :agent_id, :now)
