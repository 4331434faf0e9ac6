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

-- The opportunity may be inserted by the same statement.
-- name: insert_terms
INSERT INTO opportunity_term (term, opportunity_id, is_tag)
SELECT term, subject_id, is_tag
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (subject_id TEXT, term TEXT, is_tag BIGINT)

-- name: among
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE o.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON)))) AND {{offered}}
