-- name: insert
INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at)
SELECT id, action, resource_type, resource_id, agent_id, at
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (
  id TEXT, action TEXT, resource_type TEXT, resource_id TEXT, agent_id TEXT, at BIGINT)
