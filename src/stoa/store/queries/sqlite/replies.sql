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

-- name: hidden
SELECT id FROM reply WHERE id IN (SELECT value FROM json_each(:ids)) AND removed_at IS NOT NULL

-- name: beginnings
SELECT r.id, t.title, CASE WHEN r.removed_at IS NULL THEN substr(r.body, 1, CAST(:most AS INTEGER)) ELSE '' END FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.id IN (SELECT value FROM json_each(:ids)) AND t.removed_at IS NULL

-- name: texts
SELECT id, body FROM reply WHERE id IN (SELECT value FROM json_each(:ids))

-- The tags of the questions to the best answers of each agent, as JSON, one row for each answer that can be read. One that
-- nobody accepted or found good says nothing.
-- name: tags_of_answers
SELECT j.value, t.tags FROM json_each(:agent_ids) j
JOIN reply r ON r.id IN (
  SELECT b.id FROM reply b WHERE b.author_id = j.value AND b.kind = 'answer' AND b.worth > 0 ORDER BY b.worth DESC, b.id DESC LIMIT :best)
JOIN thread t ON t.id = r.thread_id
WHERE r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL

-- Of each thread the best reply, if it was accepted or found good.
-- name: best_of_threads
SELECT {{reply}} {{joins}} WHERE r.id IN (
  SELECT (SELECT best.id FROM reply best WHERE best.thread_id = j.value AND best.worth > 0 AND best.removed_at IS NULL AND best.withdrawn_at IS NULL
          ORDER BY best.worth DESC LIMIT 1) FROM json_each(:thread_ids) j)
