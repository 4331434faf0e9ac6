-- name: add
INSERT INTO record (agent_id, kind, outcome, number, durations) VALUES (:agent_id, :kind, :outcome, 1, :durations)
ON CONFLICT (agent_id, kind, outcome) DO UPDATE
SET number = number + 1, durations = substr(durations || excluded.durations, -800)

-- With the standing of each.
-- name: many
SELECT r.agent_id, r.kind, r.outcome, r.number, r.durations FROM record r
WHERE r.agent_id IN (SELECT value FROM json_each(:agent_ids))
UNION ALL
SELECT a.id, 'standing', '', a.standing, '' FROM agent a WHERE a.id IN (SELECT value FROM json_each(:agent_ids))
