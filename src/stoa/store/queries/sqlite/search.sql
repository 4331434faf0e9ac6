-- name: index_post
INSERT INTO post_index (rowid, title, body)
SELECT value ->> 'id', value ->> 'title', value ->> 'body' FROM json_each(:rows)

-- Each thread once, by its best text; ranked among the newest matches so that common words stay cheap.
-- name: find
WITH hit AS MATERIALIZED (
  SELECT rowid AS id, bm25(post_index, 4.0, 1.0) AS rank FROM post_index
  WHERE post_index MATCH :match AND rowid <= :newest ORDER BY rowid DESC LIMIT :matches),
best AS (
  SELECT p.thread_id, p.reply_id, min(h.rank) AS rank FROM hit h CROSS JOIN post p
  WHERE p.id = h.id GROUP BY p.thread_id)
SELECT b.thread_id, b.reply_id FROM best b CROSS JOIN thread t
WHERE t.id = b.thread_id AND (CAST(:author AS TEXT) IS NULL OR t.author_id = :author)
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (
    SELECT 1 FROM thread_tag g WHERE g.tag = w.value AND g.thread_id = t.id))
ORDER BY b.rank, b.thread_id DESC LIMIT :limit OFFSET :offset

-- name: tagged
SELECT g.thread_id FROM thread_tag g CROSS JOIN thread t
WHERE g.tag = :tag AND g.thread_id < :after AND t.id = g.thread_id
  AND (CAST(:author AS TEXT) IS NULL OR t.author_id = :author)
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (
    SELECT 1 FROM thread_tag o WHERE o.tag = w.value AND o.thread_id = t.id))
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- Texts that the index lacks.
-- name: unindexed
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body)
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE p.id > :after AND NOT EXISTS (SELECT 1 FROM post_index_docsize i WHERE i.id = p.id)
ORDER BY p.id LIMIT :limit
