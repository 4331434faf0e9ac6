-- name: index_post
INSERT INTO post_index (id, thread_id, reply_id, document)
SELECT id, thread_id, reply_id,
       setweight(CAST(:title AS TSVECTOR), 'A') || CAST(:body AS TSVECTOR) || array_to_tsvector(ARRAY(
         SELECT '/' || bits || '/' || (id >> bits) FROM generate_series(12, 30, 3) bits))
FROM post WHERE id = :id

-- The newest matches are gathered block by block of ids, from the newest down. A block is at most as
-- large as all that was looked at before it, so that few are asked for, yet hardly more than :matches
-- texts are read. Each thread comes once, by its best text. Its tags are compared as arrays: else the
-- tags of all threads are read, once.
-- name: find
WITH RECURSIVE query AS (
  SELECT CAST(CAST(:match AS JSON) ->> 'find' AS TSQUERY) AS find,
         CAST(CAST(:match AS JSON) ->> 'rank' AS TSQUERY) AS rank, CAST(:newest AS BIGINT) + 1 AS past),
block (bits, number) AS (
  SELECT 12, (past - 1) >> 12 FROM query
  UNION ALL
  SELECT larger.bits, ((b.number << b.bits) >> larger.bits) - 1
  FROM block b CROSS JOIN query CROSS JOIN LATERAL (
    SELECT max(bits) AS bits FROM generate_series(12, 30, 3) bits
    WHERE (b.number << b.bits) % (1::BIGINT << bits) = 0
      AND (bits = 12 OR (1::BIGINT << bits) <= past - (b.number << b.bits))) larger
  WHERE b.number > 0),
hit AS (
  SELECT h.id, h.thread_id, h.reply_id, h.rank
  FROM query q CROSS JOIN block b CROSS JOIN LATERAL (
    SELECT i.id, i.thread_id, i.reply_id,
           ts_rank(CAST(ARRAY[0.25, 0.25, 0.25, 1] AS REAL[]), i.document, q.rank) AS rank
    FROM post_index i
    WHERE i.document @@ (q.find && CAST('''/' || b.bits || '/' || b.number || '''' AS TSQUERY))
      AND i.id + 0 < q.past
    ORDER BY i.id DESC) h
  LIMIT :matches),
best AS (
  SELECT DISTINCT ON (h.thread_id) h.thread_id, h.reply_id, h.rank
  FROM hit h ORDER BY h.thread_id, h.rank DESC, h.id DESC)
SELECT b.thread_id, b.reply_id FROM best b
WHERE (CAST(:author AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND t.author_id = :author))
  AND (CAST(:tags AS TEXT) = '[]'
       OR ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
          <@ ARRAY(SELECT g.tag FROM thread_tag g WHERE g.thread_id = b.thread_id))
ORDER BY b.rank DESC, b.thread_id DESC LIMIT :limit OFFSET :offset

-- name: tagged
SELECT g.thread_id FROM thread_tag g
WHERE g.tag = :tag AND g.thread_id < :after
  AND (CAST(:author AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.author_id = :author))
  AND ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
      <@ ARRAY(SELECT o.tag FROM thread_tag o WHERE o.thread_id = g.thread_id)
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset
