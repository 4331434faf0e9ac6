-- name: many
SELECT {{job}} FROM job j WHERE j.id IN (SELECT value FROM json_each(:job_ids))

-- name: released_among
SELECT r.job_id FROM released_claim r
WHERE r.agent_id = :agent_id AND r.job_id IN (SELECT value FROM json_each(:job_ids))

-- name: changed
SELECT e.job_id, max(e.at) FROM job_event e WHERE e.job_id IN (SELECT value FROM json_each(:job_ids)) GROUP BY e.job_id

-- name: insert_tags
INSERT INTO job_tag (tag, job_id, amount, deadline)
VALUES (:tag, :job_id, :amount, :deadline)

-- name: submission_texts
SELECT id, body FROM submission WHERE id IN (SELECT value FROM json_each(:ids))

-- name: titles
SELECT id, title FROM job WHERE id IN (SELECT value FROM json_each(:job_ids)) AND removed_at IS NULL
