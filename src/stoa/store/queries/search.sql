-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id) RETURNING id
