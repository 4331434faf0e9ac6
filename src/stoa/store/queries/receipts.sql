-- name: of_claim
SELECT id, action, resource_type, resource_id, agent_id, created_at FROM receipt
WHERE resource_id = :job_id AND action = 'claim_job' ORDER BY id LIMIT 1
