-- let columns: id, action, resource_type, resource_id, agent_id, created_at
-- let insert: INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at) VALUES (:id, :action, :resource_type, :resource_id, :agent_id, :at)

-- name: insert
{{insert}}

-- name: insert_now
{{insert}}

-- name: get
SELECT {{columns}} FROM receipt WHERE id = :receipt_id

-- name: of_claim
SELECT {{columns}} FROM receipt
WHERE resource_id = :job_id AND action = 'claim_job' AND agent_id = :agent_id ORDER BY id LIMIT 1

-- name: of_revocation
SELECT {{columns}} FROM receipt
WHERE resource_id = :session_id AND action = 'revoke_sessions' ORDER BY id LIMIT 1
