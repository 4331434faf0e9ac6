-- name: many
SELECT {{agent}} FROM agent a WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

-- An agent that another transaction has locked is left out: this comes last in a transaction, and to
-- wait while it holds locks that the other may want would be a deadlock. Of two writes at once the one that commits last notes the
-- later time, so that nobody who has seen the first takes it for the last.
-- name: seen
WITH here AS MATERIALIZED (
  SELECT a.id, r.at FROM json_to_recordset(CAST(:rows AS JSON)) AS r (agent_id TEXT, at BIGINT)
  JOIN agent a ON a.id = r.agent_id WHERE a.last_seen_at <> r.at FOR NO KEY UPDATE OF a SKIP LOCKED)
UPDATE agent SET last_seen_at = greatest(here.at, last_seen_at + 1) FROM here WHERE agent.id = here.id
