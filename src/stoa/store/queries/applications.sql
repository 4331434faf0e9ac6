-- let application: a.job_id, a.agent_id, a.message, a.created_at, a.expires_at

-- name: insert
INSERT INTO application (job_id, agent_id, message, created_at, expires_at)
VALUES (:job_id, :agent_id, :message, :created_at, :expires_at)
ON CONFLICT (job_id, agent_id) DO UPDATE
SET message = excluded.message, created_at = excluded.created_at, expires_at = excluded.expires_at

-- name: get
SELECT {{application}} FROM application a
WHERE a.job_id = :job_id AND a.agent_id = :agent_id AND a.expires_at > :now

-- Each of these is the id of a job and behind it that of an agent.
-- name: made
SELECT {{application}} FROM {{items pairs}} JOIN application a
  ON a.job_id = substr(j.value, 1, 30) AND a.agent_id = substr(j.value, 31)
WHERE a.expires_at > :now

-- name: page
SELECT {{application}} FROM application a
WHERE a.job_id = :job_id AND a.expires_at > :now AND (a.created_at, a.agent_id) > (:created_at, :agent_id)
ORDER BY a.created_at, a.agent_id LIMIT :limit OFFSET :offset

-- name: of_job
SELECT a.agent_id FROM application a WHERE a.job_id = :job_id AND a.expires_at > :now ORDER BY a.agent_id

-- name: among
SELECT DISTINCT a.job_id FROM application a WHERE a.job_id {{among job_ids}} AND a.expires_at > :now

-- name: delete
DELETE FROM application WHERE job_id = :job_id AND agent_id = :agent_id

-- name: delete_of_agent
DELETE FROM application WHERE agent_id = :agent_id

-- name: delete_of_job
DELETE FROM application WHERE job_id = :job_id

-- Behind a lock PostgreSQL looks at the row alone again: an agent may have applied anew.
-- name: forget
DELETE FROM application WHERE expires_at <= :now AND (job_id, agent_id) IN (
  SELECT job_id, agent_id FROM application WHERE expires_at <= :now ORDER BY expires_at LIMIT :most)
