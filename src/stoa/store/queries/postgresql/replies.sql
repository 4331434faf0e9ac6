-- Level by level. With `remaining` more behind a level that can be shown, so many of the first replies below each row and so
-- many of the whole next level are enough.
-- name: descendants
WITH RECURSIVE down (id, depth, thread_order, remaining) AS (
  SELECT id, depth, thread_order, :limit - count(*) OVER () FROM (
    SELECT id, depth, thread_order FROM reply WHERE parent_id = :id ORDER BY thread_order LIMIT :limit) first
  UNION ALL
  SELECT id, depth, thread_order, remaining - count(*) OVER () FROM (
    SELECT x.id, x.depth, x.thread_order, down.remaining FROM down CROSS JOIN LATERAL (
      SELECT id, depth, thread_order FROM reply
      WHERE parent_id = down.id ORDER BY thread_order LIMIT greatest(down.remaining, 0)) x
    ORDER BY x.thread_order LIMIT :limit) level)
SELECT {{reply}} {{joins}}
WHERE r.id = ANY (ARRAY(SELECT id FROM down ORDER BY depth, thread_order LIMIT :limit)) ORDER BY r.depth, r.thread_order
