-- name: many
SELECT {{job}} FROM job j WHERE j.id IN (SELECT value FROM json_each(:ids))

-- name: insert_tags
INSERT INTO job_tag (tag, job_id, amount, deadline)
SELECT r.value ->> 'tag', j.id, j.amount, j.deadline
FROM json_each(:rows) r CROSS JOIN job j WHERE j.id = r.value ->> 'job_id'
