-- let message: m.id, m.job_id, m.author_id, m.recipients, m.claimer_id, CASE WHEN m.removed_at IS NULL THEN m.body ELSE '' END, m.created_at, m.removed_at, m.removed_reason
-- let visible: (m.recipients = 'everyone' OR m.claimer_id = :reader_id OR :is_creator = 1)

-- name: insert
INSERT INTO job_message (id, job_id, author_id, recipients, claimer_id, body, created_at)
VALUES (:id, :job_id, :author_id, :recipients, :claimer_id, :body, :now)

-- name: get
SELECT {{message}} FROM job_message m WHERE m.id = :id

-- name: list
SELECT {{message}} FROM job_message m
WHERE m.job_id = :job_id AND m.id > :after AND {{visible}} ORDER BY m.id LIMIT :limit OFFSET :offset

-- The agents that asked last, so that they learn of what follows.
-- name: askers
SELECT m.author_id FROM job_message m
WHERE m.job_id = :job_id AND m.recipients = 'everyone' AND m.id < :before
GROUP BY m.author_id ORDER BY max(m.id) DESC LIMIT :most

-- name: texts
SELECT id, CASE WHEN removed_at IS NULL THEN body ELSE '' END, removed_at FROM job_message
WHERE id {{among ids}}
