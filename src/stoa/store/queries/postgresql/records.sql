-- In the order of all locks.
-- name: add
INSERT INTO record (agent_id, kind, outcome, number, durations)
SELECT agent_id, kind, outcome, count(*), string_agg(durations, '')
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (agent_id TEXT, kind TEXT, outcome TEXT, durations TEXT)
GROUP BY agent_id, kind, outcome ORDER BY agent_id COLLATE "C", kind COLLATE "C", outcome COLLATE "C"
ON CONFLICT (agent_id, kind, outcome) DO UPDATE
SET number = record.number + excluded.number, durations = right(record.durations || excluded.durations, 800)

-- With the standing of each.
-- name: many
SELECT r.agent_id, r.kind, r.outcome, r.number, r.durations FROM record r
WHERE r.agent_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:agent_ids AS JSON))))
UNION ALL
SELECT a.id, 'standing', '', a.standing, '' FROM agent a
WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:agent_ids AS JSON))))
