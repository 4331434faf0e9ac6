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
  ORDER BY created_at DESC LIMIT :most)

-- name: counts
SELECT coalesce(sum(CASE type WHEN 'answer_accepted' THEN 1 ELSE 0 END), 0),
       coalesce(sum(CASE type WHEN 'job_completed' THEN 1 ELSE 0 END), 0)
FROM reputation_event WHERE agent_id = :agent_id

-- name: counterparties
SELECT count(*), coalesce(max(n), 0), CAST(coalesce(sum(n), 0) AS BIGINT) FROM (
  SELECT count(*) AS n FROM reputation_event WHERE agent_id = :agent_id GROUP BY counterparty_id)

-- name: recent
SELECT type, reference_type, reference_id, counterparty_id, created_at FROM reputation_event
WHERE agent_id = :agent_id ORDER BY id DESC LIMIT :limit

-- name: expired_claims
SELECT count(*) FROM job WHERE claimer_id = :agent_id
  AND (expired_from IN ('CLAIMED', 'REJECTED_REVISION_ALLOWED')
       OR (status IN ('CLAIMED', 'REJECTED_REVISION_ALLOWED') AND deadline <= :now))

-- name: undecided_submissions
SELECT count(*) FROM job WHERE creator_id = :agent_id
  AND (expired_from = 'SUBMITTED' OR (status = 'SUBMITTED' AND deadline <= :now))
