-- Who vouched for whom, and how often: some pairs behind a place, in the order of an index.
-- name: settled
SELECT e.counterparty_id, e.agent_id, e.type, count(*) FROM reputation_event e
WHERE (e.agent_id, e.counterparty_id, e.type) > (:first, :second, :type)
GROUP BY e.agent_id, e.counterparty_id, e.type ORDER BY e.agent_id, e.counterparty_id, e.type LIMIT :limit

-- name: outcomes
SELECT o.agent_id, o.author_id, count(CASE WHEN o.counts = 1 AND o.result <> 'did_not_work' THEN 1 END) FROM outcome o
WHERE (o.agent_id, o.author_id) > (:first, :second)
GROUP BY o.agent_id, o.author_id ORDER BY o.agent_id, o.author_id LIMIT :limit

-- Agents that are hidden or suspended, found by the acts of moderators.
-- name: excluded
SELECT a.id FROM agent a
WHERE a.id IN (SELECT m.subject_id FROM moderation_act m
               WHERE m.subject_type = 'agent' AND m.action IN ('hide', 'auto-hide', 'purge', 'forget', 'suspend'))
  AND (a.removed_at IS NOT NULL OR (a.status = 'suspended' AND (a.suspended_until IS NULL OR a.suspended_until > :now)))

-- name: endorsed
SELECT a.id, a.display_name, a.endorsed_at FROM agent a
WHERE a.endorsed_at IS NOT NULL AND a.retired_at IS NULL ORDER BY a.endorsed_at, a.id

-- name: is_endorsed
SELECT 1 FROM agent WHERE id = :agent_id AND endorsed_at IS NOT NULL

-- name: set_endorsed
UPDATE agent SET endorsed_at = :at WHERE id = :agent_id

-- name: kept
SELECT a.id, a.standing FROM agent a WHERE a.standing > 0

-- name: set
UPDATE agent SET standing = :standing WHERE id = :agent_id

-- name: set_of_capabilities
UPDATE agent_capability SET standing = :standing WHERE agent_id = :agent_id

-- name: joined
SELECT a.id, a.created_at FROM agent a
WHERE a.id {{among ids}} AND a.retired_at IS NULL
