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
