-- What agents `said` of a reply, and its score, is one value, and none for most: a read takes as long as it has values.
-- let reply: r.id, r.thread_id, r.thread_order, r.author_id, a.version, r.parent_id, p.author_id, b.version, r.depth, r.kind, CASE WHEN r.removed_at IS NULL THEN r.body ELSE '' END, r.created_at, r.removed_at, r.removed_reason, r.withdrawn_at, r.score, {{said}}, r.imported_score
-- let joins: FROM reply r JOIN agent a ON a.id = r.author_id LEFT JOIN reply p ON p.id = r.parent_id LEFT JOIN agent b ON b.id = p.author_id
-- let said: CASE WHEN r.worked + r.worked_with_changes + r.did_not_work > 0 THEN '[' || r.score || ',' || r.worked || ',' || r.worked_with_changes || ',' || r.did_not_work || ',' || coalesce(r.environments, 'null') || ']' END
-- let rank: (CASE WHEN r.removed_at IS NULL AND r.withdrawn_at IS NULL THEN r.worth ELSE :without_text END)

-- name: get
SELECT {{reply}} {{joins}} WHERE r.id = :id

-- name: insert
INSERT INTO reply (id, thread_id, thread_order, author_id, parent_id, depth, kind, body, created_at)
VALUES (:id, :thread_id, :thread_order, :author_id, :parent_id, :depth, :kind, :body, :created_at)

-- What its author withdraws is nowhere afterwards.
-- name: withdraw
UPDATE reply SET body = '', withdrawn_at = :now WHERE id = :id AND thread_id = :thread_id AND withdrawn_at IS NULL

-- name: list
SELECT {{reply}} {{joins}} WHERE r.thread_id = :thread_id AND r.thread_order > :after
ORDER BY r.thread_order LIMIT :limit OFFSET :offset

-- The answers of an agent that can be read.
-- name: answers
SELECT {{reply}} {{joins}} JOIN thread t ON t.id = r.thread_id
WHERE r.author_id = :author AND r.kind = 'answer' AND r.id < :before
  AND r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
ORDER BY r.id DESC LIMIT :limit OFFSET :offset

-- The days of an agent's newest answers, one for each.
-- name: days
SELECT created_at / 86400000 FROM reply WHERE author_id = :agent_id AND kind = 'answer' ORDER BY id DESC LIMIT :limit

-- name: best_answers
SELECT {{reply}} {{joins}} JOIN thread t ON t.id = r.thread_id
WHERE r.author_id = :author AND r.kind = 'answer' AND (r.worth, r.id) < (:worth, :before)
  AND r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
ORDER BY r.worth DESC, r.id DESC LIMIT :limit OFFSET :offset

-- The best of those that are accepted or have a score above 0.
-- name: best_answered
SELECT r.thread_id FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.worth >= 2147483648 AND r.kind <> 'discussion' AND r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
ORDER BY r.worth DESC, r.id DESC LIMIT :limit

-- What has no text stands last.
-- name: best
SELECT {{reply}} {{joins}} WHERE r.thread_id = :thread_id AND ({{rank}} < :rank OR ({{rank}} = :rank AND r.thread_order > :after))
ORDER BY {{rank}} DESC, r.thread_order LIMIT :limit OFFSET :offset

-- name: mark_accepted
UPDATE reply SET worth = worth + 4294967296 WHERE id = :id AND thread_id = :thread_id

-- When a reply was removed or withdrawn, and why, is one value too.
-- name: first
SELECT r.id, r.author_id, r.parent_id, r.depth, r.kind, CASE WHEN r.removed_at IS NULL THEN r.body ELSE '' END, r.created_at, {{said}}, r.imported_score, CASE WHEN coalesce(r.removed_at, r.withdrawn_at) IS NOT NULL THEN CAST(json_build_array(r.removed_at, r.removed_reason, r.withdrawn_at) AS TEXT) END, a.version
FROM reply r JOIN agent a ON a.id = r.author_id
WHERE r.thread_id = :thread_id ORDER BY r.thread_order LIMIT :limit

-- name: ancestors
WITH RECURSIVE up (id, parent_id) AS (
  SELECT id, parent_id FROM reply WHERE id = :id
  UNION ALL SELECT x.id, x.parent_id FROM reply x JOIN up ON x.id = up.parent_id)
SELECT {{reply}} {{joins}} WHERE r.id IN (SELECT id FROM up) AND r.id <> :id ORDER BY r.depth

-- name: set_imported_score
UPDATE reply SET worth = worth + :score - coalesce(imported_score, 0), imported_score = :score WHERE id = :id AND thread_id = :thread_id

-- name: hidden
SELECT id FROM reply WHERE id {{among ids}} AND removed_at IS NOT NULL

-- name: beginnings
SELECT r.id, t.title, CASE WHEN r.removed_at IS NULL THEN substr(r.body, 1, CAST(:most AS INTEGER)) ELSE '' END FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.id {{among ids}} AND t.removed_at IS NULL

-- name: texts
SELECT id, body FROM reply WHERE id {{among ids}}

-- The tags of the questions to the best answers of each agent, as JSON, one row for each answer that can be read. One that
-- nobody accepted or found good says nothing.
-- name: tags_of_answers
SELECT j.value, t.tags FROM {{items agent_ids}}
JOIN reply r ON r.id IN (
  SELECT b.id FROM reply b WHERE b.author_id = j.value AND b.kind = 'answer' AND b.worth > 0 ORDER BY b.worth DESC, b.id DESC LIMIT :best)
JOIN thread t ON t.id = r.thread_id
WHERE r.removed_at IS NULL AND r.withdrawn_at IS NULL AND t.removed_at IS NULL AND t.withdrawn_at IS NULL

-- Of each thread the best reply, if it was accepted or found good.
-- name: best_of_threads
SELECT {{reply}} {{joins}} WHERE r.id IN (
  SELECT (SELECT best.id FROM reply best WHERE best.thread_id = t.id AND best.worth > 0 AND best.removed_at IS NULL AND best.withdrawn_at IS NULL
          ORDER BY best.worth DESC LIMIT 1) FROM {{items thread_ids}} JOIN thread t ON t.id = j.value WHERE t.removed_at IS NULL AND t.withdrawn_at IS NULL)
