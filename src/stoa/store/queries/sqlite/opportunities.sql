-- let labels: json_group_array(DISTINCT label)
-- let met: coalesce(o.requires ->> 'reputation', 0) <= :reputation AND coalesce(o.requires ->> 'standing', 0) <= :standing AND coalesce(o.requires ->> 'completedJobs', 0) <= :completed_jobs

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
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0, {{added}} FROM first f CROSS JOIN opportunity o
WHERE o.id = f.id ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- This waits for the end of a commit of many transactions, of which a later one may have raised the amount.
-- name: insert_terms
INSERT INTO opportunity_term (term, is_tag, type, amount, created_at, opportunity_id)
SELECT :term, :is_tag, :type, max(:amount, amount), :created_at, id FROM opportunity WHERE id = :subject_id

-- name: insert_words
INSERT INTO opportunity_word (word, label, opportunity_id)
SELECT :word, :label, id FROM opportunity WHERE id = :subject_id

-- What is on offer, the highest reward first: ids with what puts them in this order. In one row, as a thread that reads
-- many rows holds up the others at each.
-- name: offer_keys
SELECT json_group_array(s.key) FROM ({{offer_keys}}) s

-- Opportunities, once for each of their terms, in one row.
-- name: offer_terms
SELECT json_group_array(json_array(s.id, s.type, s.amount, s.created_at, s.added, s.author_id, s.requires, s.term, s.is_tag))
FROM (SELECT {{with_terms}} WHERE o.id {{among ids}} LIMIT :limit) s
