-- name: many
SELECT {{thread}} FROM thread t JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:thread_ids AS JSON))))

-- name: titles
SELECT t.id, t.title, t.status FROM thread t
WHERE t.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:thread_ids AS JSON)))) AND t.removed_at IS NULL AND t.title <> ''

-- name: insert_tags
INSERT INTO thread_tag (tag, thread_id, last_activity_at, reply_count)
SELECT r.tag, t.id, t.last_activity_at, t.reply_count
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (tag TEXT, thread_id TEXT)
JOIN thread t ON t.id = r.thread_id

-- What the tags of threads repeat of them.
-- name: carry_to_tags
UPDATE thread_tag g SET reply_count = t.reply_count, last_activity_at = t.last_activity_at
FROM thread t
WHERE t.id = g.thread_id
  AND t.id IN (SELECT r.thread_id FROM json_to_recordset(CAST(:rows AS JSON)) AS r (thread_id TEXT))
