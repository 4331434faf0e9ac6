-- As the shared one, but with each part cut before they are merged: else all jobs of the state are sorted.
-- name: state_{order}
-- each order: recent = j.id | reward = j.amount
WITH page AS MATERIALIZED (
  SELECT x.id, x.place FROM (
    (SELECT j.id, {{order}} AS place FROM job j
     WHERE {{booked}} AND ({{order}}, j.id) < (:key, :id)
     ORDER BY {{order}} DESC, j.id DESC LIMIT CAST(:limit AS BIGINT) + CAST(:offset AS BIGINT))
    UNION ALL
    SELECT j.id, {{order}} FROM job j
    WHERE {{due}} AND ({{order}}, j.id) < (:key, :id)) x
  ORDER BY x.place DESC, x.id DESC LIMIT :limit OFFSET :offset)
SELECT {{job}} FROM page p CROSS JOIN job j WHERE j.id = p.id ORDER BY p.place DESC, p.id DESC

-- name: state_deadline
WITH page AS MATERIALIZED (
  SELECT x.id, x.place FROM (
    (SELECT j.id, j.deadline AS place FROM job j
     WHERE {{booked}} AND (j.deadline, j.id) > (:key, :id)
     ORDER BY j.deadline, j.id LIMIT CAST(:limit AS BIGINT) + CAST(:offset AS BIGINT))
    UNION ALL
    SELECT j.id, j.deadline FROM job j
    WHERE {{due}} AND (j.deadline, j.id) > (:key, :id)) x
  ORDER BY x.place, x.id LIMIT :limit OFFSET :offset)
SELECT {{job}} FROM page p CROSS JOIN job j WHERE j.id = p.id ORDER BY p.place, p.id

-- name: held
SELECT {{job}} FROM job j WHERE j.id = :job_id FOR NO KEY UPDATE

-- The job may be inserted by the same statement.
-- name: insert_tags
INSERT INTO job_tag (tag, job_id, amount, deadline)
SELECT tag, job_id, amount, deadline
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (tag TEXT, job_id TEXT, amount BIGINT, deadline BIGINT)
