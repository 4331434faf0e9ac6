-- let wanted: (CASE WHEN CAST(:assignment AS TEXT) IS NULL THEN o.assignment IS NULL OR o.assignment = 'first' ELSE coalesce(o.assignment = CAST(:assignment AS TEXT), FALSE) END) AND {{terms_and_tags}}
-- let terms_and_tags: o.amount >= :least AND (CASE WHEN CAST(:on_silence AS TEXT) IS NULL THEN TRUE ELSE coalesce(o.on_silence = CAST(:on_silence AS TEXT), FALSE) END) AND (CASE WHEN CAST(:review_ms AS BIGINT) IS NULL THEN TRUE ELSE coalesce(o.review_ms <= CAST(:review_ms AS BIGINT), FALSE) END) AND (CASE WHEN CAST(:tags AS TEXT) = '[]' THEN TRUE ELSE EXISTS (SELECT 1 FROM opportunity_term m WHERE m.opportunity_id = o.id AND m.is_tag = 1 AND m.term IN (SELECT value FROM json_each(:tags))) END)
-- Of each tag and type the first ones.
-- name: tagged
WITH first AS (
  SELECT DISTINCT x.value AS id FROM json_each(:tags) w CROSS JOIN json_each(:types) t CROSS JOIN json_each((
    SELECT json_group_array(f.id) FROM (
      SELECT o.id FROM opportunity_term m CROSS JOIN opportunity o
      WHERE m.term = w.value AND m.is_tag = 1 AND m.type = t.value AND m.amount >= :least
        AND (m.amount, m.created_at, m.opportunity_id) < (:amount, :created_at, :id)
        AND o.id = m.opportunity_id AND {{offered}}
      ORDER BY m.amount DESC, m.created_at DESC, m.opportunity_id DESC LIMIT :limit + :offset) f)) x)
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM first f CROSS JOIN opportunity o
WHERE o.id = f.id ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- Opportunities of others with labels that are found by these words, most such labels first.
-- name: matching_{scope}
-- each scope: all = {{first_wins}} | wanted = {{wanted}}
WITH shared AS (
  SELECT opportunity_id, count(DISTINCT label) AS overlap, json_group_array(DISTINCT label) AS terms
  FROM opportunity_word WHERE word IN (SELECT value FROM json_each(:terms))
  GROUP BY opportunity_id)
SELECT o.id, o.type, o.amount, o.created_at, s.terms, s.overlap
FROM shared s CROSS JOIN opportunity o
WHERE o.id = s.opportunity_id AND {{showable}} AND {{scope}} AND {{own}} AND o.author_id <> :agent_id
  AND (s.overlap, o.amount, o.created_at, o.id) < (:overlap, :amount, :created_at, :id)
ORDER BY s.overlap DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- The opportunities of others without such a label.
-- name: others_{scope}
-- each scope: all = {{first_wins}} | wanted = {{wanted}}
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0 FROM opportunity o
WHERE {{showable}} AND {{scope}} AND {{own}} AND o.author_id <> :agent_id
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND NOT EXISTS (SELECT 1 FROM opportunity_word m WHERE m.opportunity_id = o.id
                  AND m.word IN (SELECT value FROM json_each(:terms)))
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- This waits for the end of a commit of many transactions, of which a later one may have raised the amount.
-- name: insert_terms
INSERT INTO opportunity_term (term, is_tag, type, amount, created_at, opportunity_id)
SELECT :term, :is_tag, :type, max(:amount, amount), :created_at, id FROM opportunity WHERE id = :subject_id

-- name: insert_words
INSERT INTO opportunity_word (word, label, opportunity_id)
SELECT :word, :label, id FROM opportunity WHERE id = :subject_id

-- name: among
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE o.id IN (SELECT value FROM json_each(:ids)) AND {{offered}}

-- Jobs with these terms, the highest reward first. Jobs that the creator assigns are asked for by that.
-- name: filtered
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE o.type = 'job' AND o.expires_at > :now AND o.offered_to IS NULL
  AND o.assignment = coalesce(CAST(:assignment AS TEXT), 'first')
  AND {{terms_and_tags}}
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- What is on offer, the highest reward first: ids with what puts them in this order. In one row, as a thread that reads
-- many rows holds up the others at each.
-- name: offer_keys
SELECT json_group_array(s.key) FROM ({{offer_keys}}) s

-- Opportunities, once for each of their terms, in one row.
-- name: offer_terms
SELECT json_group_array(json_array(s.id, s.type, s.amount, s.created_at, s.author_id, s.term, s.is_tag))
FROM (SELECT {{with_terms}} WHERE o.id IN (SELECT value FROM json_each(:ids)) LIMIT :limit) s
