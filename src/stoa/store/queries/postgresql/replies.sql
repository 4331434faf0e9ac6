-- Level by level; of each level the first :limit are enough, since only so many are shown.
-- name: descendants
WITH RECURSIVE down (id, depth, thread_order) AS (
  (SELECT id, depth, thread_order FROM reply WHERE parent_id = :id ORDER BY thread_order LIMIT :limit)
  UNION ALL
  SELECT * FROM (
    SELECT x.id, x.depth, x.thread_order FROM reply x JOIN down ON x.parent_id = down.id
    ORDER BY x.thread_order LIMIT :limit) level)
SELECT {{reply}} {{joins}}
WHERE r.id IN (SELECT id FROM down ORDER BY depth, thread_order LIMIT :limit) ORDER BY r.depth, r.thread_order

-- name: hidden
SELECT id FROM reply WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND removed_at IS NOT NULL

-- name: texts
SELECT id, body FROM reply WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))
