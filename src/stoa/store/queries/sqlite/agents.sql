-- let words: json_each(:words) j

-- name: many
SELECT {{agent}} FROM agent a WHERE a.id IN (SELECT value FROM json_each(:ids))

-- name: note_first_post
UPDATE agent SET first_post_id = :post_id WHERE id = :agent_id AND first_post_id IS NULL

-- name: seen
UPDATE agent SET last_seen_at = :at WHERE id = :agent_id AND last_seen_at < :at

-- name: add_words
INSERT INTO agent_word (word, agent_id) SELECT j.value, :agent_id FROM {{words}}

-- name: with_skeletons
SELECT id, skeleton, standing, reputation FROM agent WHERE skeleton IN (SELECT value FROM json_each(:skeletons)) AND skeleton <> ''

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
