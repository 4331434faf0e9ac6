-- let wanted: (CASE WHEN CAST(:assignment AS TEXT) IS NULL THEN o.assignment IS NULL OR o.assignment = 'first' ELSE coalesce(o.assignment = CAST(:assignment AS TEXT), FALSE) END) AND {{terms_and_tags}}
-- let terms_and_tags: o.amount >= :least AND (CASE WHEN CAST(:on_silence AS TEXT) IS NULL THEN TRUE ELSE coalesce(o.on_silence = CAST(:on_silence AS TEXT), FALSE) END) AND (CASE WHEN CAST(:review_ms AS BIGINT) IS NULL THEN TRUE ELSE coalesce(o.review_ms <= CAST(:review_ms AS BIGINT), FALSE) END) AND (CASE WHEN CAST(:tags AS TEXT) = '[]' THEN TRUE ELSE EXISTS (SELECT 1 FROM opportunity_term m WHERE m.opportunity_id = o.id AND m.is_tag = 1 AND m.term {{among tags}}) END)
-- let offer_keys: SELECT o.id || ' ' || o.amount || ' ' || o.created_at || ' ' || {{added}} AS key FROM opportunity o WHERE {{offered}} ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit
-- let with_terms: o.id, o.type, o.amount, o.created_at, {{added}} AS added, o.author_id, o.requires, m.term, m.is_tag FROM opportunity o LEFT JOIN opportunity_term m ON m.opportunity_id = o.id
-- let offered: {{open}} AND o.offered_to IS NULL
-- let open: {{showable}} AND {{first_wins}}
-- let first_wins: (o.assignment IS NULL OR o.assignment = 'first')
-- let showable: o.expires_at > :now AND o.id NOT IN (SELECT l.id FROM thread l WHERE l.locked = 1) AND o.id NOT IN (SELECT r.id FROM thread r WHERE r.removed_at IS NOT NULL AND r.bounty_id IS NOT NULL)
-- let own: (CASE WHEN o.offered_to IS NULL THEN o.requires IS NULL OR ({{met}}) ELSE o.offered_to = :agent_id END) AND NOT EXISTS (SELECT 1 FROM released_claim c WHERE c.job_id = o.id AND c.agent_id = :agent_id)
-- let added: (SELECT count(*) FROM addition d WHERE d.subject_id = o.id)

-- name: insert
INSERT INTO opportunity (id, type, author_id, amount, created_at, expires_at, on_silence, assignment, review_ms,
                         offered_to, requires)
VALUES (:subject_id, :type, :author_id, :amount, :created_at, :expires_at, :on_silence, :assignment, :review_ms,
        :offered_to, :requires)

-- name: postpone
UPDATE opportunity SET expires_at = expires_at + :ms WHERE id = :subject_id

-- name: delete
DELETE FROM opportunity WHERE id = :subject_id

-- name: page_{scope}
-- each scope: all = :type = '' | type = o.type = :type
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0, {{added}} FROM opportunity o
WHERE {{scope}} AND {{offered}} AND o.amount >= :least AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- The agents that something is offered to alone, or that gave back or lost the claim of a job on offer.
-- name: chosen_agents
SELECT o.offered_to FROM opportunity o WHERE o.offered_to IS NOT NULL
UNION SELECT c.agent_id FROM opportunity o CROSS JOIN released_claim c WHERE o.type = 'job' AND c.job_id = o.id

-- The opportunities of others without such a label.
-- name: others_{scope}
-- each scope: all = {{first_wins}} | wanted = {{wanted}}
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0 FROM opportunity o
WHERE {{showable}} AND {{scope}} AND {{own}} AND o.author_id <> :agent_id
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
  AND NOT EXISTS (SELECT 1 FROM opportunity_word m WHERE m.opportunity_id = o.id
                  AND m.word {{among terms}})
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- name: among
SELECT o.id, o.type, o.amount, o.created_at, '[]', 0, {{added}} FROM opportunity o
WHERE o.id {{among ids}} AND {{offered}}

-- Jobs with these terms, the highest reward first. Jobs that the creator assigns are asked for by that.
-- name: filtered
SELECT o.id, o.type, o.amount, o.created_at, '[]' FROM opportunity o
WHERE o.type = 'job' AND o.expires_at > :now AND o.offered_to IS NULL
  AND o.assignment = coalesce(CAST(:assignment AS TEXT), 'first')
  AND {{terms_and_tags}}
  AND (o.amount, o.created_at, o.id) < (:amount, :created_at, :id)
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit OFFSET :offset

-- Opportunities of others with labels that are found by these words, most such labels first.
-- name: matching_{scope}
-- each scope: all = {{first_wins}} | wanted = {{wanted}}
WITH shared AS (
  SELECT opportunity_id, count(DISTINCT label) AS overlap, {{labels}} AS terms
  FROM opportunity_word WHERE word {{among terms}}
  GROUP BY opportunity_id)
SELECT o.id, o.type, o.amount, o.created_at, s.terms, s.overlap
FROM shared s CROSS JOIN opportunity o
WHERE o.id = s.opportunity_id AND {{showable}} AND {{scope}} AND {{own}} AND o.author_id <> :agent_id
  AND (s.overlap, o.amount, o.created_at, o.id) < (:overlap, :amount, :created_at, :id)
ORDER BY s.overlap DESC, o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit
