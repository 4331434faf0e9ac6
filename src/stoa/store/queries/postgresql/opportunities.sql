-- let labels: CAST(json_agg(DISTINCT label) AS TEXT)
-- let met: coalesce(CAST(CAST(o.requires AS JSON) ->> 'reputation' AS BIGINT), 0) <= :reputation AND coalesce(CAST(CAST(o.requires AS JSON) ->> 'standing' AS BIGINT), 0) <= :standing AND coalesce(CAST(CAST(o.requires AS JSON) ->> 'completedJobs' AS BIGINT), 0) <= :completed_jobs

-- Of each tag and type the first ones.
-- name: tagged
WITH first AS MATERIALIZED (
  SELECT DISTINCT f.id FROM json_array_elements_text(CAST(:tags AS JSON)) AS w (term)
  CROSS JOIN json_array_elements_text(CAST(:types AS JSON)) AS t (type) CROSS JOIN LATERAL (
    SELECT o.id FROM opportunity_term m
    CROSS JOIN LATERAL (SELECT * FROM opportunity s WHERE s.id = m.opportunity_id OFFSET 0) o
    WHERE m.term = w.term AND m.is_tag = 1 AND m.type = t.type AND m.amount >= :least
      AND (m.amount, m.created_at, m.opportunity_id) < (:amount, :created_at, :id) AND {{offered}}
    ORDER BY m.amount DESC, m.created_at DESC, m.opportunity_id DESC LIMIT CAST(:limit AS BIGINT) + CAST(:offset AS BIGINT)) f)
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0, {{added}} FROM opportunity o
WHERE o.id = ANY (ARRAY(SELECT id FROM first))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- The opportunity may be inserted by the same statement.
-- name: insert_terms
INSERT INTO opportunity_term (term, is_tag, type, amount, created_at, opportunity_id)
SELECT term, is_tag, type, amount, created_at, subject_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (
  subject_id TEXT, term TEXT, is_tag BIGINT, type TEXT, amount BIGINT, created_at BIGINT)

-- name: insert_words
INSERT INTO opportunity_word (word, label, opportunity_id)
SELECT word, label, subject_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (subject_id TEXT, word TEXT, label TEXT)

-- What is on offer, the highest reward first: ids with what puts them in this order. In one row, as a thread that reads
-- many rows holds up the others at each.
-- name: offer_keys
SELECT CAST(json_agg(s.key) AS TEXT) FROM ({{offer_keys}}) s

-- Opportunities, once for each of their terms, in one row.
-- name: offer_terms
SELECT CAST(json_agg(json_build_array(s.id, s.type, s.amount, s.created_at, s.added, s.author_id, s.requires, s.term, s.is_tag)) AS TEXT)
FROM (SELECT {{with_terms}} WHERE o.id {{among ids}} LIMIT :limit) s
