-- let insert: INSERT INTO receipt (id, action, resource_type, resource_id, agent_id, created_at) VALUES (:id, :action, :resource_type, :resource_id, :agent_id, :at)

-- name: insert
{{insert}}

-- name: insert_now
{{insert}}

-- name: of_claim
SELECT id, action, resource_type, resource_id, agent_id, created_at FROM receipt
WHERE resource_id = :job_id AND action = 'claim_job' ORDER BY id LIMIT 1
