-- let narrowed: (CAST(:status AS TEXT) IS NULL AND :since = 0 OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND (CAST(:status AS TEXT) IS NULL OR t.status = :status) AND t.created_at >= :since)) AND (CAST(:author AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM thread t WHERE t.id = b.thread_id AND t.author_id = :author)) AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (SELECT 1 FROM thread_tag g WHERE g.tag = w.value AND g.thread_id = b.thread_id))
-- let some: iif(CAST(:author AS TEXT) IS NULL AND :tags = '[]' AND CAST(:status AS TEXT) IS NULL AND :since = 0 AND NOT :recent, :some, 0)
-- let kept: (:match ->> 'without' IS NULL OR i.rowid NOT IN (SELECT id FROM left_out))

-- name: index_post
INSERT INTO post_index (rowid, title, body) VALUES (:id, :title, :body)

-- Writes up to so many pages of merged segments.
-- name: merge
INSERT INTO post_index (post_index, rank) VALUES ('merge', :pages)

-- Looks at the newest texts with the words. Each word of the query counts the more the fewer of
-- these have it in any form, as bm25 does it with k1 = 0; the weights say what it counts as written and in
-- other forms, and what a title adds. Beside a quoted phrase words count alike. Each thread comes once,
-- by its best text: top holds its points and, for equal ones, its number. Whose the best :some texts are is looked up first, and that of all only when these
-- are of too few threads, or at once where something narrows the search or the newest threads come first: to find the best takes as
-- long here as to look up all. What is to be left out is found once, not again beside each word. Texts with quoted
-- phrases are found in one go where they lie far apart, and where more than two things are looked for: else each phrase
-- would be looked for again beside each other one.
-- name: find_{kind}
-- each kind: word = 1 | forms = 1 | phrases = 1 | words = (SELECT CAST(round(1000 * ln(1 + CAST(s.texts AS REAL) / count(*))) AS INTEGER) FROM post_index i WHERE i.post_index MATCH w.value ->> 0 AND i.rowid BETWEEN s.oldest AND :newest AND {{kept}})
WITH seen AS MATERIALIZED (
  SELECT min(id) AS oldest, count(*) AS texts,
         :match ->> 'atOnce' IS NULL OR json_array_length(:match, '$.words') <= 2 AND :newest - min(id) < 5 * count(*) AS dense FROM (
    SELECT rowid AS id FROM post_index
    WHERE post_index MATCH :match ->> 'near' AND rowid <= :newest ORDER BY rowid DESC LIMIT :matches)),
left_out AS MATERIALIZED (
  SELECT i.rowid AS id FROM seen s CROSS JOIN post_index i
  WHERE i.post_index MATCH :match ->> 'without' AND i.rowid BETWEEN s.oldest AND :newest),
word AS MATERIALIZED (
  SELECT w.value ->> 1 AS anywhere, w.value ->> 2 AS title, w.value ->> 3 AS others,
         w.value ->> 4 AS others_in_title, {{kind}} AS points
  FROM seen s CROSS JOIN json_each(:match, '$.words') w),
part AS (
  SELECT anywhere AS match, (:match ->> '$.weights[0]') * points AS points FROM word
  UNION ALL SELECT title, (:match ->> '$.weights[1]') * points FROM word WHERE title IS NOT NULL
  UNION ALL SELECT others, (:match ->> '$.weights[2]') * points FROM word WHERE others IS NOT NULL
  UNION ALL SELECT others_in_title, (:match ->> '$.weights[3]') * points FROM word WHERE others IS NOT NULL),
hit AS MATERIALIZED (
  SELECT i.rowid AS id, sum(p.points) AS points FROM seen s CROSS JOIN part p CROSS JOIN post_index i
  WHERE s.dense AND i.post_index MATCH p.match AND i.rowid BETWEEN s.oldest AND :newest AND {{kept}} GROUP BY i.rowid
  UNION ALL SELECT i.rowid, points(i.post_index, :match ->> '$.counts[0]', :match ->> '$.counts[1]')
  FROM seen s CROSS JOIN post_index i
  WHERE NOT s.dense AND i.post_index MATCH :match ->> 'atOnce' AND i.rowid BETWEEN s.oldest AND :newest AND {{kept}}),
best AS MATERIALIZED (
  SELECT b.* FROM (
    SELECT p.thread_id, max(h.top) AS top
    FROM (SELECT points << 40 | id AS top, id FROM hit ORDER BY top DESC LIMIT {{some}}) h CROSS JOIN post p
    WHERE p.id = h.id GROUP BY p.thread_id) b
  WHERE {{narrowed}}),
enough AS MATERIALIZED (
  SELECT (SELECT count(*) FROM best) >= :limit + :offset OR (SELECT count(*) FROM hit) <= {{some}} AS so),
page AS (
  SELECT b.thread_id, b.top, iif(:recent, b.thread_id, '') AS place FROM best b WHERE (SELECT so FROM enough)
  UNION ALL SELECT b.thread_id, b.top, iif(:recent, b.thread_id, '') FROM (
    SELECT p.thread_id, max(h.points << 40 | h.id) AS top FROM hit h CROSS JOIN post p
    WHERE NOT (SELECT so FROM enough) AND p.id = h.id GROUP BY p.thread_id) b
  WHERE {{narrowed}}
  ORDER BY place DESC, top DESC LIMIT :limit OFFSET :offset)
SELECT g.thread_id, (SELECT p.reply_id FROM post p WHERE p.id = g.top & (1 << 40) - 1) FROM page g
ORDER BY g.place DESC, g.top DESC

-- name: tagged
SELECT g.thread_id FROM thread_tag g CROSS JOIN thread t
WHERE g.tag = :tag AND g.thread_id < :key AND g.thread_id >= :end AND t.id = g.thread_id
  AND t.removed_at IS NULL AND (CAST(:author AS TEXT) IS NULL OR t.author_id = :author)
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status)
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (
    SELECT 1 FROM thread_tag o WHERE o.tag = w.value AND o.thread_id = t.id))
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- name: unindex
DELETE FROM post_index WHERE rowid IN (
  SELECT p.id FROM post p WHERE p.reply_id = :reply_id
  UNION ALL SELECT p.id FROM post p WHERE :reply_id IS NULL AND p.thread_id = :thread_id AND p.reply_id IS NULL
  UNION ALL SELECT p.id FROM reply r CROSS JOIN post p
  WHERE :reply_id IS NULL AND r.thread_id = :thread_id AND p.reply_id = r.id)

-- What became hidden after it was put into the index of a copy.
-- name: unindex_hidden
DELETE FROM post_index WHERE rowid IN (
  SELECT p.id FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
  WHERE t.removed_at IS NOT NULL OR r.removed_at IS NOT NULL)

-- Texts that the index lacks.
-- name: unindexed
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body)
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE p.id > :after AND t.removed_at IS NULL AND r.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM post_index_docsize i WHERE i.id = p.id)
ORDER BY p.id LIMIT :limit
