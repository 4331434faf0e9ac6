-- name: insert_tags
INSERT INTO job_tag (tag, job_id, amount, deadline)
VALUES (:tag, :job_id, :amount, :deadline)
