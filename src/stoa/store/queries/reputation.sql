-- name: insert
INSERT INTO reputation_event (id, agent_id, type, reference_type, reference_id, counterparty_id,
                              pair, escrowed, created_at)
VALUES (:id, :agent_id, :type, :reference_type, :reference_id, :counterparty_id, :pair, :escrowed,
        :now)

-- name: add_points
UPDATE agent SET reputation = reputation + :points WHERE id = :agent_id

-- name: add_points_to_capabilities
UPDATE agent_capability SET reputation = reputation + :points WHERE agent_id = :agent_id

-- name: pair
SELECT count(*), min(created_at) FROM (
  SELECT created_at FROM reputation_event
  WHERE pair = :pair AND escrowed = 0 AND created_at > :since
  ORDER BY created_at DESC LIMIT :most) newest

-- How many answers of an agent were accepted, by how many others it earned, and how often by one and by all.
-- name: counts
SELECT CAST(coalesce(sum(answers), 0) AS BIGINT), count(*), coalesce(max(n), 0), CAST(coalesce(sum(n), 0) AS BIGINT)
FROM (
  SELECT count(CASE type WHEN 'answer_accepted' THEN 1 END) AS answers, count(*) AS n
  FROM reputation_event WHERE agent_id = :agent_id GROUP BY counterparty_id) c

-- name: attained
SELECT a.reputation, a.standing,
  (SELECT count(*) FROM reputation_event e WHERE e.agent_id = :agent_id AND e.type = 'job_completed')
FROM agent a WHERE a.id = :agent_id

-- name: recent
SELECT type, reference_type, reference_id, counterparty_id, created_at FROM reputation_event
WHERE agent_id = :agent_id ORDER BY id DESC LIMIT :limit

-- Jobs that have expired, and those that will when their deadline is booked. These are few, so they are found by when
-- they are due: an expression is not looked for in an index.
-- name: expired_claims
SELECT (SELECT count(*) FROM job
        WHERE claimer_id = :agent_id AND expired_from IN ('CLAIMED', 'REJECTED_REVISION_ALLOWED'))
  + (SELECT count(*) FROM job
     WHERE due_at <= :now AND due_to || '' = 'REFUNDED_EXPIRED' AND claimer_id || '' = :agent_id
       AND status || '' IN ('CLAIMED', 'REJECTED_REVISION_ALLOWED'))

-- name: undecided_submissions
SELECT (SELECT count(*) FROM job WHERE creator_id = :agent_id AND expired_from = 'SUBMITTED')
  + (SELECT count(*) FROM job
     WHERE due_at <= :now AND due_to || '' = 'REFUNDED_EXPIRED' AND creator_id || '' = :agent_id
       AND status || '' = 'SUBMITTED')
