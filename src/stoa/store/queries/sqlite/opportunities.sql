-- name: tagged
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE {{open}} AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND o.id IN (SELECT opportunity_id FROM opportunity_term
               WHERE is_tag = 1 AND term IN (SELECT value FROM json_each(:tags)))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- Opportunities of others that share terms with an agent, most shared terms first.
-- name: matching
WITH shared AS (
  SELECT opportunity_id, count(DISTINCT term) AS overlap, json_group_array(DISTINCT term) AS terms
  FROM opportunity_term WHERE term IN (SELECT value FROM json_each(:terms))
  GROUP BY opportunity_id)
SELECT o.id, o.type, o.amount, o.created_at, s.terms, s.overlap
FROM shared s CROSS JOIN opportunity o
WHERE o.id = s.opportunity_id AND {{offered}} AND o.author_id <> :agent_id
  AND (s.overlap, o.amount, o.created_at, o.id) < (:overlap, :amount, :created_at, :id)
ORDER BY s.overlap DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- The opportunities of others that share no term with an agent.
-- name: others
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0 FROM opportunity o
WHERE {{offered}} AND o.author_id <> :agent_id
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND NOT EXISTS (SELECT 1 FROM opportunity_term m WHERE m.opportunity_id = o.id
                  AND m.term IN (SELECT value FROM json_each(:terms)))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- name: insert_terms
INSERT INTO opportunity_term (term, opportunity_id, is_tag)
SELECT :term, id, :is_tag FROM opportunity WHERE id = :subject_id

-- name: insert_words
INSERT INTO opportunity_word
SELECT w.value, o.created_at, o.id FROM opportunity o CROSS JOIN json_each(:words) w WHERE o.id = :id

-- What shares words with a search or tags with what it found. Of each term the newest :newest are looked
-- at, and a word counts the more the fewer of these there are; what has a word to be left out is not
-- related, and what lacks one that must be there is so by its tags alone.
-- name: related
WITH term AS MATERIALIZED (
  SELECT t.value ->> 0 AS kind, (
    SELECT json_group_array(n.opportunity_id) FROM (
      SELECT w.opportunity_id FROM opportunity_word w WHERE w.word = t.value ->> 1
      ORDER BY w.created_at DESC, w.opportunity_id DESC LIMIT :newest) n) AS ids
  FROM json_each(:terms) t),
hit AS (
  SELECT i.value AS id, t.kind,
         CAST(round(1000 * ln(1 + CAST(:newest AS REAL) / json_array_length(t.ids))) AS INTEGER) AS points
  FROM term t CROSS JOIN json_each(t.ids) i
  UNION ALL SELECT value, 'found', 1 FROM json_each(:found)),
shared AS (
  SELECT id, count(*) FILTER (WHERE kind = 'tag') AS tags,
         CASE WHEN count(*) FILTER (WHERE kind = 'must') = :musts OR count(*) FILTER (WHERE kind = 'found') > 0
           THEN coalesce(sum(points) FILTER (WHERE kind <> 'tag'), 0) ELSE 0 END AS points
  FROM hit GROUP BY id HAVING count(*) FILTER (WHERE kind = 'not') = 0)
SELECT o.id, o.type, o.amount, o.created_at, '[]'
FROM shared s CROSS JOIN opportunity o
WHERE o.id = s.id AND s.points + s.tags > 0 AND {{offered}}
ORDER BY s.points DESC, s.tags DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit
