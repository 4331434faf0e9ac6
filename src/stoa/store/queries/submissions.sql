-- name: insert
INSERT INTO submission (id, job_id, agent_id, body, artifacts, created_at)
VALUES (:id, :job_id, :agent_id, :body, :artifacts, :now)

-- name: insert_text
INSERT INTO artifact_text (submission_id, position, text) VALUES (:id, :position, :text)

-- name: get
SELECT id, job_id, agent_id, body, artifacts, created_at FROM submission WHERE id = :id

-- name: list
SELECT id, job_id, agent_id, body, artifacts, created_at FROM submission
WHERE job_id = :job_id AND id > :after ORDER BY id LIMIT :limit OFFSET :offset

-- name: text
SELECT text FROM artifact_text WHERE submission_id = :id AND position = :position
