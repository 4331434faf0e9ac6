-- name: insert_tags
INSERT INTO thread_tag (tag, thread_id, last_activity_at, reply_count)
SELECT :tag, id, last_activity_at, reply_count FROM thread WHERE id = :thread_id

-- Tags repeat of their threads what lists by tag are sorted by. They do so later, for many replies at
-- once: until then the thread itself is asked.
-- name: carry_to_tags
INSERT INTO thread_moved VALUES (:thread_id) ON CONFLICT DO NOTHING

-- name: {part}_tag_{order}
-- each part: list = TRUE | first = t.created_at + 0 <= :as_of AND {{few}}
-- each order: active = last_activity_at | replies = reply_count
SELECT {{thread}}
FROM (
  SELECT g.thread_id AS id, g.{{order}} AS key FROM thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id
  WHERE g.tag = :scope AND t.id = g.thread_id AND (g.{{order}}, g.thread_id) < (:key, :id)
    AND (g.{{order}}, g.thread_id) >= (:end, :end_id)
    AND NOT EXISTS (SELECT 1 FROM thread_moved m WHERE m.id = g.thread_id)
    AND t.removed_at IS NULL AND (:status IS NULL OR t.status = :status) AND {{part}}
  UNION ALL
  SELECT t.id, t.{{order}} FROM thread_moved m CROSS JOIN thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id
  WHERE g.tag = :scope AND g.thread_id = m.id AND t.id = m.id AND (t.{{order}}, t.id) < (:key, :id)
    AND (t.{{order}}, t.id) >= (:end, :end_id)
    AND t.removed_at IS NULL AND (:status IS NULL OR t.status = :status) AND {{part}}
  ORDER BY 2 DESC, 1 DESC LIMIT :limit OFFSET :offset
) l CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.id = l.id ORDER BY l.key DESC, l.id DESC
