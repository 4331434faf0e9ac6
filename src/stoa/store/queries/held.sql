-- Posts that are held until a moderator releases them, or their time is over.

-- let held: p.id, p.kind, p.author_id, p.subject_id, p.hold_id, p.reason, p.created_at, p.until, p.request

-- name: insert
INSERT INTO held_post (id, kind, author_id, subject_id, hold_id, reason, created_at, until, request)
VALUES (:id, :kind, :author_id, :subject_id, :hold_id, :reason, :created_at, :until, :request)

-- name: get
SELECT {{held}} FROM held_post p WHERE p.id = :id AND p.decided_at IS NULL

-- What is decided keeps its place among the first posts of its author.
-- name: decide
UPDATE held_post SET decided_at = :now, request = '' WHERE id = :id AND decided_at IS NULL

-- name: count_posts
SELECT count(*) FROM (
  SELECT id FROM (SELECT id FROM thread WHERE author_id = :author LIMIT :most) t
  UNION SELECT id FROM (SELECT id FROM job WHERE creator_id = :author LIMIT :most) j
  UNION SELECT id FROM (SELECT id FROM reply WHERE author_id = :author AND kind = 'answer' LIMIT :most) r
  UNION SELECT id FROM (SELECT id FROM held_post WHERE author_id = :author LIMIT :most) h) x

-- name: count_additions
SELECT count(*) FROM held_post WHERE author_id = :author AND subject_id = :subject_id AND kind = 'addition' AND decided_at IS NULL

-- What a suspended agent posted waits until it is reinstated, or a moderator decides; with credits no longer than they would have
-- been reserved.
-- name: due
SELECT p.id FROM held_post p JOIN agent a ON a.id = p.author_id
WHERE p.decided_at IS NULL AND p.until <= :now AND (a.status = 'active' OR (p.hold_id IS NOT NULL AND p.until <= :ended)) ORDER BY p.until LIMIT :most OFFSET :skip

-- name: waiting_{whose}
-- each whose: all = TRUE | author = p.author_id = :author
SELECT {{held}} FROM held_post p WHERE {{whose}} AND p.decided_at IS NULL AND p.id > :after
ORDER BY p.id LIMIT :limit OFFSET :offset

-- name: holds
SELECT p.hold_id FROM held_post p WHERE p.hold_id IS NOT NULL AND p.decided_at IS NULL

-- The oldest is that of agents that are not suspended, whose posts the clock releases.
-- name: count_waiting
SELECT count(*), CAST(coalesce(min(CASE WHEN a.status = 'active' THEN p.created_at END), 0) AS BIGINT)
FROM held_post p JOIN agent a ON a.id = p.author_id WHERE p.decided_at IS NULL
