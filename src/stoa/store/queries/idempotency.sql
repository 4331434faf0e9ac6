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

-- Behind a lock PostgreSQL looks at the row alone again: the key may have another answer.
-- name: forget
DELETE FROM kept_answer WHERE created_at < :before AND (agent_id, key) IN (
  SELECT agent_id, key FROM kept_answer WHERE created_at < :before ORDER BY created_at LIMIT :most)

-- The next answers in order of agent and key, those that are stored in full.
-- name: slice
SELECT agent_id, key, CASE WHEN form = 'full' THEN answer END FROM kept_answer
WHERE (agent_id, key) > (:agent_id, :key) ORDER BY agent_id, key LIMIT :limit

-- name: shorten
UPDATE kept_answer SET answer = :answer, form = :form WHERE agent_id = :agent_id AND key = :key
