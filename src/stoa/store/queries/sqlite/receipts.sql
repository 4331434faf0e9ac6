-- name: insert
INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at)
SELECT value ->> 'id', value ->> 'action', value ->> 'resource_type', value ->> 'resource_id',
       value ->> 'agent_id', value ->> 'at'
FROM json_each(:rows)
