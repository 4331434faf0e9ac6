-- name: held
SELECT {{acting}} FROM agent a WHERE a.id = :agent_id FOR NO KEY UPDATE

-- name: held_by_key
SELECT {{agent}} FROM agent a WHERE a.public_key = :public_key FOR NO KEY UPDATE

-- Of an agent that another transaction has locked a later post is noted, for the reason below.
-- name: note_first_post
WITH here AS MATERIALIZED (
  SELECT id FROM agent WHERE id = :agent_id AND first_post_id IS NULL FOR NO KEY UPDATE SKIP LOCKED)
UPDATE agent SET first_post_id = :post_id WHERE id = (SELECT id FROM here)

-- An agent that another transaction has locked is left out: this comes last in a transaction, and to
-- wait while it holds locks that the other may want would be a deadlock. Of two writes at once the one that commits last notes the
-- later time, so that nobody who has seen the first takes it for the last.
-- name: seen
WITH here AS MATERIALIZED (
  SELECT id FROM agent WHERE id = :agent_id AND last_seen_at <> :at FOR NO KEY UPDATE SKIP LOCKED)
UPDATE agent SET last_seen_at = greatest(:at, last_seen_at + 1) WHERE id = (SELECT id FROM here)
