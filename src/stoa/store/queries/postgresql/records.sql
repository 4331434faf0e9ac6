-- In the order of all locks.
-- name: add
INSERT INTO record (agent_id, kind, outcome, number, durations)
SELECT agent_id, kind, outcome, count(*), string_agg(durations, '')
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (agent_id TEXT, kind TEXT, outcome TEXT, durations TEXT)
GROUP BY agent_id, kind, outcome ORDER BY agent_id COLLATE "C", kind COLLATE "C", outcome COLLATE "C"
ON CONFLICT (agent_id, kind, outcome) DO UPDATE
SET number = record.number + excluded.number, durations = right(record.durations || excluded.durations, 800)
