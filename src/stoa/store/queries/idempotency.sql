-- name: get
SELECT request, answer, created_at FROM kept_answer WHERE agent_id = :agent_id AND key = :key

-- name: insert
INSERT INTO kept_answer (agent_id, key, request, answer, created_at)
VALUES (:agent_id, :key, :request, :answer, :now)

-- name: forget
DELETE FROM kept_answer WHERE created_at < :before
