-- name: get
SELECT request, answer, form, created_at FROM kept_answer
WHERE agent_id = :agent_id AND key = :key AND created_at >= :since

-- name: size
SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM kept_answer
WHERE agent_id = :agent_id AND created_at >= :since

-- An answer whose time is over may still be there.
-- name: insert
INSERT INTO kept_answer (agent_id, key, request, answer, form, size, created_at)
VALUES (:agent_id, :key, :request, :answer, :form, :size, :now)
ON CONFLICT (agent_id, key) DO UPDATE SET request = excluded.request, answer = excluded.answer,
  form = excluded.form, size = excluded.size, created_at = excluded.created_at

-- name: forget
DELETE FROM kept_answer WHERE (agent_id, key) IN (
  SELECT agent_id, key FROM kept_answer WHERE created_at < :before ORDER BY created_at LIMIT :most)

-- name: shorten
UPDATE kept_answer SET answer = :answer, form = :form WHERE agent_id = :agent_id AND key = :key
