-- name: of_thread
SELECT created_at, body FROM addition WHERE subject_id = :thread_id ORDER BY position

-- name: count
SELECT count(*) FROM addition WHERE subject_id = :subject_id

-- name: insert
INSERT INTO addition (subject_id, position, body, created_at)
VALUES (:subject_id, (SELECT count(*) FROM addition WHERE subject_id = :subject_id), :body, :now)
