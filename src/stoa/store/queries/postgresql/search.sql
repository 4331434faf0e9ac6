-- name: index_post
INSERT INTO post_index (id, thread_id, reply_id, document)
SELECT p.id, p.thread_id, p.reply_id,
       setweight(CAST(r.title AS TSVECTOR), 'A') || CAST(r.body AS TSVECTOR) || array_to_tsvector(ARRAY(
         SELECT '/' || bits || '/' || (p.id >> bits) FROM generate_series(12, 30, 2) bits))
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (id BIGINT, title TEXT, body TEXT)
JOIN post p ON p.id = r.id

-- The newest matches are gathered block by block of ids, from the newest down. A block is at most
-- twice as large as all that was looked at before it, so that few are asked for, yet few more than
-- :matches texts are read. Each thread comes once, by its best text.
-- Its tags are compared as arrays: else the tags of all threads are read, once.
-- name: find
WITH RECURSIVE query AS (
  SELECT CAST(CAST(:match AS JSON) ->> 'find' AS TSQUERY) AS find,
         CAST(CAST(:match AS JSON) ->> 'rank' AS TSQUERY) AS rank, CAST(:newest AS BIGINT) + 1 AS past),
block (bits, number) AS (
  SELECT 12, (past - 1) >> 12 FROM query
  UNION ALL
  SELECT larger.bits, ((b.number << b.bits) >> larger.bits) - 1
  FROM block b CROSS JOIN query CROSS JOIN LATERAL (
    SELECT max(bits) AS bits FROM generate_series(12, 30, 2) bits
    WHERE (b.number << b.bits) % (1::BIGINT << bits) = 0
      AND (bits = 12 OR (1::BIGINT << bits) <= 2 * (past - (b.number << b.bits)))) larger
  WHERE b.number > 0),
hit AS (
  SELECT h.id, h.thread_id, h.rank
  FROM query q CROSS JOIN block b CROSS JOIN LATERAL (
    SELECT i.id, i.thread_id,
           ts_rank(CAST(ARRAY[0.25, 0.25, 0.25, 1] AS REAL[]), i.document, q.rank) AS rank
    FROM post_index i
    WHERE i.document @@ (q.find && CAST('''/' || b.bits || '/' || b.number || '''' AS TSQUERY))
      AND i.id + 0 < q.past
    ORDER BY i.id DESC) h
  LIMIT :matches),
best AS (
  SELECT thread_id, max(ARRAY[CAST(rank AS FLOAT8), id]) AS top FROM hit GROUP BY thread_id),
page AS (
  SELECT b.thread_id, b.top FROM best b
  WHERE (CAST(:author AS TEXT) IS NULL
         OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND t.author_id = :author))
    AND (CAST(:tags AS TEXT) = '[]'
         OR ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
            <@ ARRAY(SELECT g.tag FROM thread_tag g WHERE g.thread_id = b.thread_id))
  ORDER BY b.top[1] DESC, b.thread_id DESC LIMIT :limit OFFSET :offset)
SELECT p.thread_id, i.reply_id FROM page p JOIN post_index i ON i.id = CAST(p.top[2] AS BIGINT)
ORDER BY p.top[1] DESC, p.thread_id DESC

-- name: tagged
SELECT g.thread_id FROM thread_tag g
WHERE g.tag = :tag AND g.thread_id < :after
  AND (CAST(:author AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.author_id = :author))
  AND ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
      <@ ARRAY(SELECT o.tag FROM thread_tag o WHERE o.thread_id = g.thread_id)
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- Texts that the index lacks.
-- name: unindexed
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body)
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE p.id > :after AND NOT EXISTS (SELECT 1 FROM post_index i WHERE i.id = p.id)
ORDER BY p.id LIMIT :limit
