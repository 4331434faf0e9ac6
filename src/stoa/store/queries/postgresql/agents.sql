-- let words: json_array_elements_text(CAST(:words AS JSON)) j (value)

-- name: many
SELECT {{agent}} FROM agent a WHERE a.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

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

-- name: add_words
INSERT INTO agent_word (word, agent_id) SELECT j.value, CAST(:agent_id AS TEXT) FROM {{words}}

-- name: with_skeletons
SELECT id, skeleton, standing, reputation FROM agent WHERE skeleton = ANY (ARRAY(SELECT json_array_elements_text(CAST(:skeletons AS JSON)))) AND skeleton <> ''

-- How many agents have each of these words, counted no further than needed.
-- name: rarity
SELECT j.value, (SELECT count(*) FROM (SELECT 1 FROM agent_word w WHERE w.word = j.value LIMIT :most) few) FROM {{words}}

-- Agents that have all of these words: those of the rarest one are looked at, or if that is common, all in their order.
-- name: find_rare_{order}
-- each order: recent = a.id | reputation = a.reputation | standing = a.standing
SELECT {{agent}} FROM agent_word w CROSS JOIN agent a
WHERE w.word = :rarest AND a.id = w.agent_id || '' AND {{found}}
ORDER BY {{order}} DESC, a.id DESC LIMIT :limit OFFSET :offset

-- name: find_common_{order}
-- each order: recent = a.id | reputation = a.reputation | standing = a.standing
SELECT {{agent}} FROM agent a
WHERE {{found}}
ORDER BY {{order}} DESC, a.id DESC LIMIT :limit OFFSET :offset
