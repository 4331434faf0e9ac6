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

-- name: hidden
SELECT id FROM reply WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND removed_at IS NOT NULL

-- name: beginnings
SELECT r.id, t.title, substr(r.body, 1, CAST(:most AS INTEGER)) FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND r.removed_at IS NULL AND t.removed_at IS NULL

-- name: texts
SELECT id, body FROM reply WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

-- The tags of the questions to the best answers of each agent, as JSON, one row for each answer that can be read.
-- name: tags_of_answers
SELECT j.value, t.tags FROM json_array_elements_text(CAST(:agent_ids AS JSON)) j (value)
JOIN reply r ON r.id IN (
  SELECT b.id FROM reply b WHERE b.author_id = j.value AND b.kind = 'answer' ORDER BY b.worth DESC, b.id DESC LIMIT :best)
JOIN thread t ON t.id = r.thread_id
WHERE r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
