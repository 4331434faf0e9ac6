-- name: tagged
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE {{open}} AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND o.id IN (SELECT opportunity_id FROM opportunity_term
               WHERE is_tag = 1 AND term = ANY (ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- Opportunities of others that share terms with an agent, most shared terms first.
-- name: matching
WITH shared AS (
  SELECT opportunity_id, count(DISTINCT term) AS overlap,
         CAST(json_agg(DISTINCT term) AS TEXT) AS terms
  FROM opportunity_term WHERE term = ANY (ARRAY(SELECT json_array_elements_text(CAST(:terms AS JSON))))
  GROUP BY opportunity_id)
SELECT o.id, o.type, o.amount, o.created_at, s.terms, s.overlap
FROM shared s JOIN opportunity o ON o.id = s.opportunity_id
WHERE {{offered}} AND o.author_id <> :agent_id
  AND (s.overlap, o.amount, o.created_at, o.id) < (:overlap, :amount, :created_at, :id)
ORDER BY s.overlap DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- The opportunities of others that share no term with an agent.
-- name: others
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0 FROM opportunity o
WHERE {{offered}} AND o.author_id <> :agent_id
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND NOT EXISTS (SELECT 1 FROM opportunity_term m WHERE m.opportunity_id = o.id
                  AND m.term = ANY (ARRAY(SELECT json_array_elements_text(CAST(:terms AS JSON)))))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- name: insert_terms
INSERT INTO opportunity_term (term, opportunity_id, is_tag)
SELECT r.term, o.id, r.is_tag
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (subject_id TEXT, term TEXT, is_tag BIGINT)
JOIN opportunity o ON o.id = r.subject_id

-- name: insert_words
INSERT INTO opportunity_word
SELECT w.word, o.created_at, o.id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (id TEXT, words TEXT)
JOIN opportunity o ON o.id = r.id
CROSS JOIN LATERAL json_array_elements_text(CAST(r.words AS JSON)) w (word)

-- What shares words with a search or tags with what it found. Of each term the newest :newest are looked
-- at, and a word counts the more the fewer of these there are; what has a word to be left out is not
-- related, and what lacks one that must be there is so by its tags alone.
-- name: related
WITH term AS MATERIALIZED (
  SELECT t ->> 0 AS kind, ARRAY(
    SELECT w.opportunity_id FROM opportunity_word w WHERE w.word = t ->> 1
    ORDER BY w.created_at DESC, w.opportunity_id DESC LIMIT CAST(:newest AS BIGINT)) AS ids
  FROM json_array_elements(CAST(:terms AS JSON)) t),
hit AS (
  SELECT i AS id, t.kind, CAST(round(
    1000 * ln(1 + CAST(CAST(:newest AS BIGINT) AS FLOAT8) / cardinality(t.ids))) AS BIGINT) AS points
  FROM term t CROSS JOIN LATERAL unnest(t.ids) i
  UNION ALL SELECT f, 'found', 1 FROM json_array_elements_text(CAST(:found AS JSON)) f),
shared AS (
  SELECT id, count(*) FILTER (WHERE kind = 'tag') AS tags,
         CASE WHEN count(*) FILTER (WHERE kind = 'must') = :musts OR count(*) FILTER (WHERE kind = 'found') > 0
           THEN coalesce(sum(points) FILTER (WHERE kind <> 'tag'), 0) ELSE 0 END AS points
  FROM hit GROUP BY id HAVING count(*) FILTER (WHERE kind = 'not') = 0)
SELECT o.id, o.type, o.amount, o.created_at, '[]'
FROM shared s CROSS JOIN opportunity o
WHERE o.id = s.id AND s.points + s.tags > 0 AND {{offered}}
ORDER BY s.points DESC, s.tags DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit
