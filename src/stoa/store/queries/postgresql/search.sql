-- name: index_post
INSERT INTO post_index (id, thread_id, reply_id, document)
SELECT p.id, p.thread_id, p.reply_id, CAST(r.title AS TSVECTOR) || CAST(r.body AS TSVECTOR)
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (id BIGINT, title TEXT, body TEXT)
JOIN post p ON p.id = r.id

-- Looks at the newest texts with the words, in one block of 2^14 numbers after the other. Which parts of
-- the query a text has is kept in bits, so that texts with the same parts are counted and weighed
-- together: a word counts the more the fewer texts have it, as bm25 does it with k1 = 0; in a title it
-- counts four times. Beside a quoted phrase words count alike. Each thread comes once, by its best
-- text: top holds its points and, for equal ones, its number. Its tags are compared as arrays: else the
-- tags of all threads are read, once.
-- name: find
WITH part AS MATERIALIZED (
  SELECT number, weight, CAST(1 AS BIGINT) << CAST(2 * number - place AS INTEGER) AS bit,
         word -> (place - 1) ->> 0 AS near,
         CAST(word -> (place - 1) ->> 1 AS TSQUERY) AS exact
  FROM json_array_elements(CAST(:match AS JSON) -> 'words') WITH ORDINALITY words (word, number)
  CROSS JOIN (VALUES (1, 1), (2, 3)) places (place, weight)
  WHERE word ->> (place - 1) IS NOT NULL),
hit AS MATERIALIZED (
  SELECT h.id, h.thread_id, h.parts
  FROM generate_series(CAST(:newest AS BIGINT) >> 14, 0, -1) block CROSS JOIN LATERAL (
    SELECT f.id, f.thread_id, bit_or(f.bit) AS parts FROM part p CROSS JOIN LATERAL (
      SELECT i.id, i.thread_id,
             CASE WHEN p.exact IS NULL OR i.document @@ p.exact THEN p.bit ELSE 0 END AS bit
      FROM post_index i
      WHERE i.document @@ CAST(replace(p.near, '/', '/' || block) AS TSQUERY)
        AND i.id + 0 <= CAST(:newest AS BIGINT) OFFSET 0) f
    GROUP BY f.id, f.thread_id ORDER BY f.id DESC) h
  LIMIT :matches),
same AS MATERIALIZED (SELECT parts, count(*) AS texts FROM hit GROUP BY parts),
share AS MATERIALIZED (
  SELECT s.parts, s.texts, p.number, p.weight FROM same s JOIN part p ON s.parts & p.bit <> 0),
word AS MATERIALIZED (
  SELECT number, CASE WHEN CAST(CAST(:match AS JSON) ->> 'alike' AS BOOLEAN) THEN 1
    ELSE round(1000 * ln(1 + CAST((SELECT count(*) FROM hit) AS FLOAT8) / CAST(sum(texts) AS FLOAT8)))
    END AS points
  FROM share WHERE weight = 1 GROUP BY number),
worth AS MATERIALIZED (
  SELECT s.parts, CAST(sum(s.weight * w.points) AS BIGINT) AS points
  FROM share s JOIN word w USING (number) GROUP BY s.parts),
best AS (
  SELECT h.thread_id, max(w.points << 40 | h.id) AS top FROM hit h JOIN worth w USING (parts)
  GROUP BY h.thread_id),
page AS (
  SELECT b.thread_id, b.top FROM best b
  WHERE (CAST(:author AS TEXT) IS NULL
         OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND t.author_id = :author))
    AND (CAST(:tags AS TEXT) = '[]'
         OR ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
            <@ ARRAY(SELECT g.tag FROM thread_tag g WHERE g.thread_id = b.thread_id))
  ORDER BY b.top DESC LIMIT :limit OFFSET :offset)
SELECT p.thread_id, i.reply_id
FROM page p JOIN post_index i ON i.id = p.top & (CAST(1 AS BIGINT) << 40) - 1
ORDER BY p.top DESC

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
