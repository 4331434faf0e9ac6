-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id)

-- What is shown of a thread, or of one of its replies.
-- name: texts
SELECT p.id, t.title, t.body FROM thread t JOIN post p ON p.thread_id = t.id AND p.reply_id IS NULL
WHERE CAST(:reply_id AS TEXT) IS NULL AND t.id = :thread_id AND t.removed_at IS NULL
UNION ALL SELECT p.id, '', r.body FROM thread t JOIN reply r ON r.thread_id = t.id JOIN post p ON p.reply_id = r.id
WHERE CAST(:reply_id AS TEXT) IS NULL AND t.id = :thread_id AND t.removed_at IS NULL AND r.removed_at IS NULL
UNION ALL SELECT p.id, '', r.body FROM reply r JOIN thread t ON t.id = r.thread_id JOIN post p ON p.reply_id = r.id
WHERE r.id = :reply_id AND t.removed_at IS NULL AND r.removed_at IS NULL
ORDER BY 1

-- name: newest_post
SELECT coalesce(max(id), 0) FROM post
