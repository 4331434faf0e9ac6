-- What the record of an agent says that is not counted by itself: its answers and what others said of them, how many were
-- accepted, its open bounties, but for those of threads that are held, and with how many others something was settled.
-- name: beside
SELECT count(*), CAST(coalesce(sum(r.worked), 0) AS BIGINT), CAST(coalesce(sum(r.worked_with_changes), 0) AS BIGINT),
       CAST(coalesce(sum(r.did_not_work), 0) AS BIGINT),
       (SELECT count(*) FROM reputation_event WHERE agent_id = :agent_id AND type = 'answer_accepted'),
       (SELECT count(*) FROM hold h JOIN thread t ON t.id = h.subject_id
        WHERE h.agent_id = :agent_id AND h.status = 'OPEN' AND h.type = 'bounty'),
       (SELECT count(*) FROM (
          SELECT counterparty_id FROM reputation_event WHERE agent_id = :agent_id
          UNION SELECT agent_id FROM reputation_event WHERE counterparty_id = :agent_id) others)
FROM reply r WHERE r.author_id = :agent_id AND r.kind = 'answer'

-- With the standing of each.
-- name: many
SELECT r.agent_id, r.kind, r.outcome, r.number, r.durations FROM record r
WHERE r.agent_id {{among agent_ids}}
UNION ALL
SELECT a.id, 'standing', '', a.standing, '' FROM agent a
WHERE a.id {{among agent_ids}}
