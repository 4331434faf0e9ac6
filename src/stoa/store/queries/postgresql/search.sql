-- let narrowed: (CAST(:author AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND t.author_id = :author)) AND (CAST(:tags AS TEXT) = '[]' OR ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON))) <@ ARRAY(SELECT g.tag FROM thread_tag g WHERE g.thread_id = b.thread_id))

-- name: index_post
INSERT INTO post_index (id, title, words)
SELECT r.id, nullif(r.title, ''), r.title || r.body
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (id BIGINT, title TEXT, body TEXT)

-- Looks at the newest texts with the words, in one block of 2^12 numbers after the other: one by one at
-- first, then up to four at once: more make each match slower to find. What a text has is kept in bits, two for each phrase
-- of the query: anywhere, and in its title. So texts with the same parts are counted and weighed
-- together: a word counts the more the fewer texts have it, as bm25 does it with k1 = 0; in a title it
-- counts four times. Beside a quoted phrase words count alike: one look-up finds the texts, and their
-- words say the rest. Each thread comes once, by its best text: top holds its points and, for equal
-- ones, its number. Whose the best :some texts are is looked up first, and that of all only when these
-- are of too few threads: one by one, or all from the oldest on where most of them are hits. Tags are compared as arrays: else the tags of all threads are read, once.
-- name: find_{kind}
-- each kind: word = SELECT id, bits FROM looked_up | phrases = SELECT id, bits FROM looked_up | words = SELECT id, bit_or(bits) AS bits FROM looked_up GROUP BY id
WITH RECURSIVE phrase AS MATERIALIZED (
  SELECT p ->> 0 AS words, CAST(p ->> 1 AS BOOLEAN) AS in_title,
         CAST(1 AS BIGINT) << CAST(2 * number - 2 AS INTEGER) AS bit
  FROM json_array_elements(CAST(:match AS JSON) -> 'phrases') WITH ORDINALITY phrases (p, number)),
look_up AS MATERIALIZED (
  SELECT l ->> 0 AS near, l ->> 1 AS must, l ->> 2 AS title, CAST(l ->> 3 AS BIGINT) AS bit,
         CAST(m ->> 'alike' AS BOOLEAN) AS alike, m ->> 'without' AS without,
         json_array_length(m -> 'checks') > 0 AS checked
  FROM CAST(:match AS JSON) m CROSS JOIN json_array_elements(m -> 'lookUps') l),
further AS MATERIALIZED (
  SELECT c ->> 0 AS words, CAST(c ->> 1 AS BOOLEAN) AS wanted
  FROM json_array_elements(CAST(:match AS JSON) -> 'checks') c),
blocks (newest, oldest) AS (
  SELECT CAST(:newest AS BIGINT) >> 12, CAST(:newest AS BIGINT) >> 12
  UNION ALL SELECT oldest - 1, greatest(0, oldest - 1 - least(3, ((CAST(:newest AS BIGINT) >> 12) - oldest) / 8))
  FROM blocks WHERE oldest > 0),
hit AS MATERIALIZED (
  SELECT h.id, h.bits FROM blocks CROSS JOIN LATERAL (
    WITH looked_up AS (
      SELECT f.id, f.bits FROM look_up l CROSS JOIN LATERAL (
        SELECT i.id, CASE
          WHEN strpos(i.words, l.must) = 0 OR strpos(i.words, l.without) > 0 THEN 0
          WHEN l.checked AND EXISTS (
            SELECT 1 FROM further c WHERE (strpos(i.words, c.words) > 0) <> c.wanted) THEN 0
          WHEN l.alike THEN (
            SELECT bit_or(CASE WHEN p.in_title AND strpos(i.title, p.words) > 0 THEN p.bit | (p.bit << 1) ELSE p.bit END)
            FROM phrase p WHERE strpos(i.words, p.words) > 0)
          WHEN strpos(i.title, l.title) > 0 THEN l.bit | (l.bit << 1)
          ELSE l.bit END AS bits
        FROM post_index i
        WHERE indexed_words(i.words, i.id) @@ CAST((
            SELECT string_agg(replace(l.near, '/', '/' || block), '|')
            FROM generate_series(blocks.oldest, blocks.newest) block) AS TSQUERY)
          AND i.id + 0 <= CAST(:newest AS BIGINT) OFFSET 0) f)
    {{kind}} ORDER BY id DESC) h
  LIMIT :matches),
same AS MATERIALIZED (SELECT bits, count(*) AS texts FROM hit GROUP BY bits),
worth AS MATERIALIZED (
  SELECT s.bits, CAST(sum(CASE WHEN s.bits & (w.bit << 1) <> 0 THEN 4 ELSE 1 END * w.points) AS BIGINT) AS points
  FROM same s JOIN (
    SELECT p.bit, CASE WHEN CAST(CAST(:match AS JSON) ->> 'alike' AS BOOLEAN) THEN 1
      ELSE round(1000 * ln(1 + CAST((SELECT sum(texts) FROM same) AS FLOAT8) / CAST(sum(o.texts) AS FLOAT8)))
      END AS points
    FROM phrase p JOIN same o ON o.bits & p.bit <> 0 GROUP BY p.bit) w ON s.bits & w.bit <> 0
  GROUP BY s.bits),
best AS MATERIALIZED (
  SELECT b.* FROM (
    SELECT p.thread_id, max(t.top) AS top FROM (
      SELECT w.points << 40 | h.id AS top, h.id FROM hit h JOIN worth w USING (bits) ORDER BY 1 DESC LIMIT :some) t
    CROSS JOIN LATERAL (SELECT o.thread_id FROM post o WHERE o.id = t.id OFFSET 0) p
    GROUP BY p.thread_id) b
  WHERE {{narrowed}}),
enough AS MATERIALIZED (
  SELECT (SELECT count(*) FROM best) >= CAST(:limit AS BIGINT) + CAST(:offset AS BIGINT)
         OR (SELECT coalesce(sum(texts), 0) FROM same) <= CAST(:some AS BIGINT) AS so),
spread AS MATERIALIZED (
  SELECT min(id) AS oldest, max(id) - min(id) < 4 * count(*) AS dense FROM hit WHERE NOT (SELECT so FROM enough)),
whose AS (
  SELECT o.id, o.thread_id FROM post o
  WHERE (SELECT dense FROM spread) AND o.id BETWEEN (SELECT oldest FROM spread) AND :newest
  UNION ALL SELECT h.id, o.thread_id FROM hit h
  CROSS JOIN LATERAL (SELECT p.thread_id FROM post p WHERE p.id = h.id OFFSET 0) o
  WHERE NOT (SELECT dense FROM spread)),
page AS (
  SELECT b.thread_id, b.top FROM best b WHERE (SELECT so FROM enough)
  UNION ALL SELECT b.thread_id, b.top FROM (
    SELECT p.thread_id, max(w.points << 40 | h.id) AS top
    FROM hit h JOIN worth w USING (bits) JOIN whose p USING (id)
    WHERE NOT (SELECT so FROM enough) GROUP BY p.thread_id) b
  WHERE {{narrowed}}
  ORDER BY top DESC LIMIT :limit OFFSET :offset)
SELECT p.thread_id, o.reply_id FROM page p JOIN post o ON o.id = p.top & (CAST(1 AS BIGINT) << 40) - 1
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
