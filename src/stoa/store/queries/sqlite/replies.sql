-- A changed author is noticed by the marks of its change, so that agents need not be looked up.
-- name: first
SELECT r.id, r.author_id, r.parent_id, r.depth, r.kind, CASE WHEN r.removed_at IS NULL THEN r.body ELSE '' END, r.created_at, {{said}}, r.imported_score, CASE WHEN coalesce(r.removed_at, r.withdrawn_at) IS NOT NULL THEN json_array(r.removed_at, r.removed_reason, r.withdrawn_at) END
FROM reply r WHERE r.thread_id = :thread_id ORDER BY r.thread_order LIMIT :limit

-- Breadth first, oldest first within a level, so that no row comes without its parent. Each row is followed by the first
-- reply below it and by the next one beside it, so that no more is looked at than is shown.
-- name: descendants
WITH RECURSIVE down (id, parent_id, depth, thread_order) AS (
  SELECT * FROM (
    SELECT id, parent_id, depth, thread_order FROM reply WHERE parent_id = :id ORDER BY thread_order LIMIT 1)
  UNION ALL
  SELECT x.id, x.parent_id, x.depth, x.thread_order FROM down JOIN reply x ON x.rowid = (
    SELECT rowid FROM reply WHERE parent_id = down.id ORDER BY thread_order LIMIT 1)
  UNION ALL
  SELECT x.id, x.parent_id, x.depth, x.thread_order FROM down JOIN reply x ON x.rowid = (
    SELECT rowid FROM reply WHERE parent_id = down.parent_id AND thread_order > down.thread_order
    ORDER BY thread_order LIMIT 1)
  ORDER BY 3, 4 LIMIT :limit)
SELECT {{reply}} {{joins}} WHERE r.id IN (SELECT id FROM down) ORDER BY r.depth, r.thread_order
