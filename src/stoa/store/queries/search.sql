-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id)

-- Texts of a thread, or one of its replies, that are shown.
-- name: texts
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body)
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE p.thread_id = :thread_id AND (CAST(:reply_id AS TEXT) IS NULL OR p.reply_id = :reply_id)
  AND t.removed_at IS NULL AND r.removed_at IS NULL ORDER BY p.id

-- name: newest_post
SELECT coalesce(max(id), 0) FROM post
