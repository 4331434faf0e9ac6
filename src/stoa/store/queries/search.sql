-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id) RETURNING id

-- name: newest_post
SELECT coalesce(max(id), 0) FROM post
