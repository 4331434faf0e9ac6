-- name: add
INSERT INTO record (agent_id, kind, outcome, number, durations) VALUES (:agent_id, :kind, :outcome, 1, :durations)
ON CONFLICT (agent_id, kind, outcome) DO UPDATE
SET number = number + 1, durations = substr(durations || excluded.durations, -800)
