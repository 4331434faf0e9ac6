-- A changed author is noticed by the marks of its change, so that agents need not be looked up.
-- name: columns
SELECT r.id, r.author_id, r.parent_id, CASE WHEN r.removed_at IS NULL THEN r.body END, r.created_at, r.depth, r.kind, NULL
FROM reply r WHERE r.thread_id = :thread_id ORDER BY r.thread_order LIMIT :limit

-- Breadth first, oldest first within a level, so that no row comes without its parent.
-- name: descendants
WITH RECURSIVE down (id, depth, thread_order) AS (
  SELECT id, depth, thread_order FROM reply WHERE parent_id = :id
  UNION ALL
  SELECT x.id, x.depth, x.thread_order FROM reply x JOIN down ON x.parent_id = down.id
  ORDER BY 2, 3 LIMIT :limit)
SELECT {{reply}} {{joins}} WHERE r.id IN (SELECT id FROM down) ORDER BY r.depth, r.thread_order

-- name: hidden
SELECT id FROM reply WHERE id IN (SELECT value FROM json_each(:ids)) AND removed_at IS NOT NULL

-- name: texts
SELECT id, body FROM reply WHERE id IN (SELECT value FROM json_each(:ids))
