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
SELECT r.id, t.title, CASE WHEN r.removed_at IS NULL THEN substr(r.body, 1, CAST(:most AS INTEGER)) ELSE '' END FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND t.removed_at IS NULL

-- name: texts
SELECT id, body FROM reply WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

-- The tags of the questions to the best answers of each agent, as JSON, one row for each answer that can be read. One that
-- nobody accepted or found good says nothing.
-- name: tags_of_answers
SELECT j.value, t.tags FROM json_array_elements_text(CAST(:agent_ids AS JSON)) j (value)
JOIN reply r ON r.id IN (
  SELECT b.id FROM reply b WHERE b.author_id = j.value AND b.kind = 'answer' AND b.worth > 0 ORDER BY b.worth DESC, b.id DESC LIMIT :best)
JOIN thread t ON t.id = r.thread_id
WHERE r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL

-- Of each thread the best reply, if it was accepted or found good.
-- name: best_of_threads
SELECT {{reply}} {{joins}} WHERE r.id IN (
  SELECT (SELECT best.id FROM reply best WHERE best.thread_id = j.value AND best.worth > 0 AND best.removed_at IS NULL AND best.withdrawn_at IS NULL
          ORDER BY best.worth DESC LIMIT 1) FROM json_array_elements_text(CAST(:thread_ids AS JSON)) j (value))
