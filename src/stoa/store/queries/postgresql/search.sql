-- let as_asked: (CAST(:status AS TEXT) IS NULL AND CAST(:since AS BIGINT) = 0 OR b.thread_id IN (SELECT t.id FROM thread t WHERE t.id = ANY (ARRAY(SELECT thread_id FROM b)) AND (CAST(:status AS TEXT) IS NULL OR t.status = :status) AND t.created_at >= CAST(:since AS BIGINT)))
-- let by_author: (CAST(:author AS TEXT) IS NULL OR b.thread_id IN (SELECT t.id FROM thread t WHERE t.author_id = :author AND t.id = ANY (ARRAY(SELECT thread_id FROM b))))
-- let with_tags: (CAST(:tags AS TEXT) = '[]' OR b.thread_id IN (SELECT g.thread_id FROM thread_tag g WHERE g.tag = ANY ({{asked_tags}}) AND g.thread_id = ANY (ARRAY(SELECT thread_id FROM b)) GROUP BY g.thread_id HAVING {{asked_tags}} <@ array_agg(g.tag)))
-- let some: CASE WHEN CAST(:author AS TEXT) IS NULL AND CAST(:tags AS TEXT) = '[]' AND CAST(:status AS TEXT) IS NULL AND CAST(:since AS BIGINT) = 0 THEN CAST(:some AS BIGINT) ELSE 10 * CAST(:some AS BIGINT) END
-- let asked_tags: ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))

-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id) RETURNING id

-- name: index_post
INSERT INTO post_index (id, title, words)
SELECT r.id, nullif(r.title, ''), r.title || r.body
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (id BIGINT, title TEXT, body TEXT)

-- The index of this engine has no segments.
-- name: merge
SELECT CAST(:pages AS BIGINT)

-- Looks at the newest texts with the words, in one block of 2^12 numbers after the other. What a text
-- has is kept in bits, two for each phrase of the query: anywhere, and in its title; none are those of a text
-- that is left out. So texts with the same parts are counted and weighed together, in a list of their
-- numbers: a word counts the more the fewer texts have it in any form, as bm25 does it with k1 = 0. Its
-- other forms have bits of their own; the weights say what these count, and what a title adds. Beside a
-- quoted phrase words count alike: one look-up finds the texts, and their words say the rest. Each thread comes once, by its best text: top holds its points and, for equal ones,
-- its number. Whose the best :some texts are is looked up first, and that of all only when these are of too
-- few threads: one by one, or all from the oldest on where most of them are hits. Where an author or tags
-- narrow the search there are ten times as many at first.
-- name: find_{kind}
-- each kind: word = SELECT id, bits FROM looked_up | phrases = SELECT id, bits FROM looked_up | forms = SELECT id, bit_or(bits) AS bits FROM looked_up GROUP BY id | words = SELECT id, bit_or(bits) AS bits FROM looked_up GROUP BY id
WITH phrase AS MATERIALIZED (
  SELECT p ->> 0 AS words, CAST(p ->> 1 AS BOOLEAN) AS quoted,
         CAST(1 AS BIGINT) << CAST(2 * number - 2 AS INTEGER) AS bit, CAST(p ->> 2 AS BIGINT) AS others
  FROM json_array_elements(CAST(:match AS JSON) -> 'phrases') WITH ORDINALITY phrases (p, number)),
look_up AS MATERIALIZED (
  SELECT l ->> 0 AS near, l ->> 1 AS must, CAST(l ->> 3 AS BIGINT) AS bit,
         CASE WHEN l ->> 2 IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(l -> 2)) END AS titles,
         l ->> 4 AS without, CAST(m ->> 'alike' AS BOOLEAN) AS alike, json_array_length(m -> 'checks') > 0 AS checked
  FROM CAST(:match AS JSON) m CROSS JOIN json_array_elements(m -> 'lookUps') l),
further AS MATERIALIZED (
  SELECT c ->> 0 AS words, CAST(c ->> 1 AS BOOLEAN) AS wanted
  FROM json_array_elements(CAST(:match AS JSON) -> 'checks') c),
same AS MATERIALIZED (
  SELECT bits, count(*) AS texts, array_agg(id) FILTER (WHERE bits <> 0) AS ids FROM (
    SELECT h.id, h.bits
    FROM (SELECT generate_series(CAST(:newest AS BIGINT) >> 12, 0, -1) AS block) b CROSS JOIN LATERAL (
      WITH looked_up AS (
        SELECT f.id, f.bits FROM look_up l CROSS JOIN LATERAL (
          SELECT i.id, CASE
            WHEN strpos(i.words, l.must) = 0 THEN 0
            WHEN l.checked AND EXISTS (
              SELECT 1 FROM further c WHERE c.wanted AND strpos(i.words, c.words) = 0) THEN 0
            WHEN l.without IS NOT NULL AND i.id IN (
              SELECT o.id FROM post_index o
              WHERE indexed_words(o.words, o.id) @@ CAST(replace(l.without, '/', '/' || b.block) AS TSQUERY)
                AND (NOT l.checked OR EXISTS (
                  SELECT 1 FROM further c WHERE NOT c.wanted AND strpos(o.words, c.words) > 0))) THEN 0
            WHEN l.alike THEN (
              SELECT bit_or(
                CASE WHEN p.quoted AND strpos(i.title, p.words) > 0 THEN p.bit | (p.bit << 1) ELSE p.bit END)
              FROM phrase p WHERE p.quoted OR strpos(i.words, p.words) > 0)
            WHEN i.title LIKE ANY (l.titles) THEN l.bit | (l.bit << 1)
            ELSE l.bit END AS bits
          FROM post_index i
          WHERE indexed_words(i.words, i.id) @@ CAST(replace(l.near, '/', '/' || b.block) AS TSQUERY)
            AND i.id + 0 <= CAST(:newest AS BIGINT) OFFSET 0) f)
      {{kind}} ORDER BY id DESC) h
    LIMIT :matches) hit
  GROUP BY bits),
word AS MATERIALIZED (
  SELECT p.bit, CASE WHEN CAST(CAST(:match AS JSON) ->> 'alike' AS BOOLEAN) THEN 1
    ELSE round(1000 * ln(1 + CAST((SELECT sum(texts) FROM same) AS FLOAT8) / CAST(sum(s.texts) AS FLOAT8)))
    END AS points, p.others
  FROM phrase p JOIN same s ON s.bits & (p.bit | p.others) <> 0 GROUP BY p.bit, p.others),
factor AS MATERIALIZED (
  SELECT CAST(f ->> 0 AS BIGINT) AS written, CAST(f ->> 1 AS BIGINT) AS written_in_title,
         CAST(f ->> 2 AS BIGINT) AS other, CAST(f ->> 3 AS BIGINT) AS other_in_title
  FROM (SELECT CAST(:match AS JSON) -> 'weights' AS f) m),
weighed AS MATERIALIZED (
  SELECT points, texts, ids, coalesce(
    sum(texts) OVER (ORDER BY points DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS better
  FROM (
    SELECT s.texts, s.ids, (
      SELECT CAST(sum(w.points * (
        CASE WHEN s.bits & w.bit <> 0 THEN f.written ELSE f.other END
        + CASE WHEN s.bits & (w.bit << 1) <> 0 THEN f.written_in_title
          WHEN s.bits & (w.others << 1) <> 0 THEN f.other_in_title ELSE 0 END)) AS BIGINT)
      FROM word w CROSS JOIN factor f WHERE s.bits & (w.bit | w.others) <> 0) AS points
    FROM same s WHERE s.bits <> 0) s),
best AS MATERIALIZED (
  WITH b AS MATERIALIZED (
    SELECT o.thread_id, max(t.top) AS top FROM (
      SELECT w.points << 40 | n.id AS top, n.id FROM weighed w
      CROSS JOIN LATERAL (SELECT id FROM unnest(w.ids) id ORDER BY id DESC LIMIT {{some}}) n
      WHERE w.better < {{some}} ORDER BY 1 DESC LIMIT {{some}}) t
    CROSS JOIN LATERAL (SELECT p.thread_id FROM post p WHERE p.id = t.id OFFSET 0) o
    GROUP BY o.thread_id)
  SELECT b.thread_id, b.top FROM b WHERE {{as_asked}} AND {{by_author}} AND {{with_tags}}),
enough AS MATERIALIZED (
  SELECT (SELECT count(*) FROM best) >= CAST(:limit AS BIGINT) + CAST(:offset AS BIGINT)
         AND CAST(:recent AS BIGINT) = 0 OR (SELECT coalesce(sum(texts), 0) FROM weighed) <= {{some}} AS so),
ranked AS MATERIALIZED (
  SELECT w.points << 40 | n.id AS top, n.id FROM weighed w CROSS JOIN LATERAL unnest(w.ids) n (id)
  WHERE NOT (SELECT so FROM enough)),
spread AS MATERIALIZED (SELECT min(id) AS oldest, max(id) - min(id) < 4 * count(*) AS dense FROM ranked),
every AS MATERIALIZED (
  WITH b AS MATERIALIZED (
    SELECT o.thread_id, max(o.top) AS top FROM (
      SELECT p.thread_id, r.top FROM ranked r JOIN post p USING (id)
      WHERE (SELECT dense FROM spread) AND p.id BETWEEN (SELECT oldest FROM spread) AND :newest
      UNION ALL SELECT o.thread_id, r.top FROM ranked r
      CROSS JOIN LATERAL (SELECT p.thread_id FROM post p WHERE p.id = r.id OFFSET 0) o
      WHERE NOT (SELECT dense FROM spread)) o
    GROUP BY o.thread_id)
  SELECT b.thread_id, b.top FROM b WHERE {{as_asked}} AND {{by_author}} AND {{with_tags}}),
page AS (
  SELECT thread_id, top, CASE WHEN CAST(:recent AS BIGINT) = 1 THEN thread_id ELSE '' END AS place FROM best WHERE (SELECT so FROM enough)
  UNION ALL SELECT thread_id, top, CASE WHEN CAST(:recent AS BIGINT) = 1 THEN thread_id ELSE '' END FROM every
  ORDER BY place DESC, top DESC LIMIT :limit OFFSET :offset)
SELECT p.thread_id, o.reply_id FROM page p JOIN post o ON o.id = p.top & (CAST(1 AS BIGINT) << 40) - 1
ORDER BY p.place DESC, p.top DESC

-- name: tagged
SELECT g.thread_id FROM thread_tag g
WHERE g.tag = :tag AND g.thread_id < :key AND g.thread_id >= :end
  AND g.thread_id NOT IN (SELECT r.id FROM thread r WHERE r.removed_at IS NOT NULL)
  AND (CAST(:author AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.author_id = :author))
  AND (CAST(:status AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.status = :status))
  AND {{asked_tags}} <@ ARRAY(SELECT o.tag FROM thread_tag o WHERE o.thread_id = g.thread_id)
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- name: unindex
WITH gone AS MATERIALIZED (
  SELECT * FROM json_to_recordset(CAST(:rows AS JSON)) AS r (thread_id TEXT, reply_id TEXT))
DELETE FROM post_index WHERE id IN (
  SELECT p.id FROM gone g JOIN post p ON p.reply_id = g.reply_id
  UNION ALL SELECT p.id FROM gone g JOIN post p ON p.thread_id = g.thread_id AND p.reply_id IS NULL
  WHERE g.reply_id IS NULL
  UNION ALL SELECT p.id FROM gone g JOIN reply r ON r.thread_id = g.thread_id JOIN post p ON p.reply_id = r.id
  WHERE g.reply_id IS NULL)

-- What became hidden after it was put into the index of a copy.
-- name: unindex_hidden
DELETE FROM post_index WHERE id IN (
  SELECT p.id FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
  WHERE t.removed_at IS NOT NULL OR r.removed_at IS NOT NULL)

-- Texts that the index lacks.
-- name: unindexed
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN t.title ELSE '' END, coalesce(r.body, t.body)
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE p.id > :after AND t.removed_at IS NULL AND r.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM post_index i WHERE i.id = p.id)
ORDER BY p.id LIMIT :limit
