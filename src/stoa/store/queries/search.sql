-- let numbered: SELECT p.id, p.thread_id, p.reply_id, CASE WHEN {{shown}} THEN 1 ELSE 0 END, CASE WHEN t.status = 'answered' THEN 1 ELSE 0 END, CASE WHEN t.accepted_reply_id = p.reply_id THEN 1 ELSE 0 END
-- let text: SELECT p.id, o.id, t.created_at, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body) || {{added}}, t.author_id, t.tags, CASE WHEN t.status = 'answered' THEN 1 ELSE 0 END, CASE WHEN t.accepted_reply_id = p.reply_id THEN 1 ELSE 0 END, CASE WHEN {{shown}} THEN 1 ELSE 0 END
-- let of_post: JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
-- let opening: JOIN post o ON o.thread_id = p.thread_id AND o.reply_id IS NULL
-- let shown: t.removed_at IS NULL AND t.body <> '' AND r.removed_at IS NULL AND coalesce(r.body, t.body) <> ''

-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id)
