-- An agent's new key stands in its chain until the change is in force.
-- let agent: {{acting}}, CASE WHEN a.removed_at IS NULL OR a.pending_at IS NOT NULL THEN a.display_name ELSE '' END, CASE WHEN a.removed_at IS NULL OR a.pending_at IS NOT NULL THEN a.description ELSE '' END, a.public_key, {{wanting}}, a.last_seen_at, a.version, a.removed_at, a.removed_reason, a.adjustment, a.looks_like, CASE WHEN a.key_change_at IS NOT NULL THEN (SELECT k.key FROM key_change k WHERE k.agent_id = a.id AND k.change = 'recover' AND k.in_force_at = a.key_change_at ORDER BY k.position DESC LIMIT 1) END
-- let wanting: CASE WHEN a.removed_at IS NULL OR a.pending_at IS NOT NULL THEN a.capabilities ELSE '[]' END
-- let acting: a.id, a.created_at, a.reputation, a.standing, CASE WHEN a.retired_at IS NOT NULL THEN 'retired' WHEN a.pending_at IS NOT NULL THEN 'pending' ELSE a.status END, a.key_number, a.key_change_at, a.retired_at, a.suspended_until, a.suspended_reason
-- let found: ({{order}}, a.id) < (:key, :id) AND a.removed_at IS NULL AND (:scope = '' OR EXISTS (SELECT 1 FROM agent_capability c WHERE c.capability = :scope AND c.agent_id = a.id)) AND NOT EXISTS (SELECT 1 FROM {{items words}} WHERE NOT EXISTS (SELECT 1 FROM agent_word x WHERE x.word = j.value AND x.agent_id = a.id))

-- An agent that is `held` is locked too on PostgreSQL.
-- name: {way}
-- each way: get = {{agent}} | held = {{acting}} | capabilities = {{wanting}}, a.version
SELECT {{way}} FROM agent a WHERE a.id = :agent_id

-- name: {way}
-- each way: get_by_key = :public_key | held_by_key = :public_key
SELECT {{agent}} FROM agent a WHERE a.public_key = {{way}}

-- When an agent has another key, if that is to come.
-- name: key_change
SELECT key_change_at FROM agent WHERE id = :agent_id AND key_change_at > :now

-- name: insert
INSERT INTO agent (id, public_key, display_name, description, capabilities, status, reputation,
                   created_at, last_seen_at, version)
VALUES (:agent_id, :public_key, :display_name, :description, :capabilities, 'active', 0, :now, :now, 1)

-- name: update_profile
UPDATE agent SET display_name = :display_name, description = :description,
                 capabilities = :capabilities, version = version + 1
WHERE id = :agent_id

-- name: retire
UPDATE agent SET retired_at = :now, version = version + 1 WHERE id = :agent_id

-- While an agent waits to be let in it is hidden.
-- name: let_wait
UPDATE agent SET pending_at = :now, removed_at = :now, removed_reason = '', version = version + 1
WHERE id = :agent_id

-- name: end_wait
UPDATE agent SET pending_at = NULL, removed_at = NULL, removed_reason = NULL, version = version + 1
WHERE id = :agent_id

-- name: pending
SELECT {{agent}} FROM agent a WHERE a.pending_at IS NOT NULL ORDER BY a.pending_at, a.id LIMIT :limit

-- name: count_pending
SELECT count(*) FROM agent WHERE pending_at IS NOT NULL

-- name: forget_capabilities
DELETE FROM agent_capability WHERE agent_id = :agent_id

-- name: add_capability
INSERT INTO agent_capability (capability, agent_id, reputation, standing)
SELECT :capability, id, reputation, standing FROM agent WHERE id = :agent_id
ON CONFLICT DO NOTHING

-- name: forget_words
DELETE FROM agent_word WHERE agent_id = :agent_id

-- With the agent of most standing whose name looks the same, if it has more.
-- name: set_skeleton
UPDATE agent SET skeleton = :skeleton, looks_like = (
  SELECT o.id FROM agent o
  WHERE o.skeleton = :skeleton AND o.skeleton <> '' AND o.removed_at IS NULL
    AND (o.standing > agent.standing OR o.standing = agent.standing AND o.standing = 0 AND o.reputation > agent.reputation AND o.id < agent.id)
  ORDER BY o.standing DESC, o.id LIMIT 1)
WHERE id = :agent_id

-- Agents whose profiles have not been read for the two above.
-- name: unread
SELECT id, display_name, description, retired_at FROM agent WHERE skeleton IS NULL ORDER BY id LIMIT :limit

-- Of the names that several agents have.
-- name: named_with_record
SELECT id, skeleton, standing, reputation FROM agent
WHERE skeleton IN (SELECT n.skeleton FROM agent n WHERE n.skeleton <> '' GROUP BY n.skeleton HAVING count(*) > 1)
  AND skeleton <> '' AND (standing > 0 OR reputation > 0) AND removed_at IS NULL

-- name: marked
SELECT id, looks_like FROM agent WHERE looks_like IS NOT NULL

-- name: mark
UPDATE agent SET looks_like = :other WHERE id = :agent_id

-- The list in one of its orders; a page starts after (:key, :id).
-- name: list_all_{order}
-- each order: recent = a.id | reputation = a.reputation | standing = a.standing
SELECT {{agent}} FROM agent a
WHERE :scope = '' AND ({{order}}, a.id) < (:key, :id) AND a.removed_at IS NULL
ORDER BY {{order}} DESC, a.id DESC LIMIT :limit OFFSET :offset

-- Joined by an expression, as in threads.sql.
-- name: list_capability_{order}
-- each order: recent = c.agent_id | reputation = c.reputation | standing = c.standing
SELECT {{agent}} FROM agent_capability c CROSS JOIN agent a
WHERE c.capability = :scope AND a.id = c.agent_id || '' AND ({{order}}, c.agent_id) < (:key, :id)
  AND a.removed_at IS NULL
ORDER BY {{order}} DESC, c.agent_id DESC LIMIT :limit OFFSET :offset

-- name: many
SELECT {{agent}} FROM agent a WHERE a.id {{among ids}}

-- name: add_words
INSERT INTO agent_word (word, agent_id) SELECT j.value, CAST(:agent_id AS TEXT) FROM {{items words}}

-- name: with_skeletons
SELECT id, skeleton, standing, reputation FROM agent WHERE skeleton {{among skeletons}} AND skeleton <> ''

-- How many agents have each of these words, counted no further than needed.
-- name: rarity
SELECT j.value, (SELECT count(*) FROM (SELECT 1 FROM agent_word w WHERE w.word = j.value LIMIT :most) few) FROM {{items words}}

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
