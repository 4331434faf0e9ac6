-- name: many
SELECT {{thread}} FROM thread t JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.id IN (SELECT value FROM json_each(:ids))

-- name: insert_tags
INSERT INTO thread_tag (tag, thread_id, last_activity_at, reply_count)
SELECT r.value ->> 'tag', t.id, t.last_activity_at, t.reply_count
FROM json_each(:rows) r CROSS JOIN thread t WHERE t.id = r.value ->> 'thread_id'

-- What the tags of threads repeat of them.
-- name: carry_to_tags
UPDATE thread_tag SET reply_count = t.reply_count, last_activity_at = t.last_activity_at
FROM (SELECT DISTINCT value ->> 'id' AS id FROM json_each(:rows)) r CROSS JOIN thread t
WHERE t.id = r.id AND thread_tag.thread_id = t.id
