-- Due holds whose thread or job no other transaction has locked; settling a hold locks that first.
-- name: due
WITH found AS MATERIALIZED (
  SELECT h.subject_id FROM hold h WHERE h.status = 'OPEN' AND h.expires_at <= :now AND {{not_silent}}
  ORDER BY h.expires_at LIMIT :most OFFSET :skip),
jobs AS MATERIALIZED (
  SELECT id FROM job WHERE id IN (SELECT subject_id FROM found) FOR NO KEY UPDATE SKIP LOCKED),
threads AS MATERIALIZED (
  SELECT id FROM thread WHERE id IN (SELECT subject_id FROM found) FOR NO KEY UPDATE SKIP LOCKED)
SELECT {{hold}} FROM hold h
WHERE h.subject_id IN (SELECT id FROM jobs UNION ALL SELECT id FROM threads)
  AND h.status = 'OPEN' AND h.expires_at <= :now AND {{not_silent}}
ORDER BY h.expires_at
FOR NO KEY UPDATE OF h
