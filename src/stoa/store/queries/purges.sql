-- What is erased for good keeps its ids, amounts and times.

-- name: add
INSERT INTO purge (id, whole, reason, created_at, erased_at) VALUES (:id, :whole, :reason, :created_at, :erased_at)
ON CONFLICT (id) DO UPDATE SET whole = CASE WHEN purge.whole > excluded.whole THEN purge.whole ELSE excluded.whole END,
  reason = excluded.reason, created_at = excluded.created_at, erased_at = excluded.erased_at, wiped_at = NULL

-- name: date
UPDATE purge SET created_at = :created_at WHERE id = :id

-- name: purged
SELECT 1 FROM purge WHERE id = :id AND (whole = 1 OR erased_at IS NOT NULL)

-- name: all
SELECT p.id, p.whole, p.reason, p.created_at FROM purge p ORDER BY p.id

-- name: to_erase
SELECT p.id, p.whole, p.reason, p.created_at FROM purge p WHERE p.wiped_at IS NULL AND p.erased_at IS NULL ORDER BY p.created_at

-- Not one that was ordered again meanwhile: what was written until then is still to be erased.
-- name: erased
UPDATE purge SET erased_at = :now WHERE id = :id AND created_at = :created_at AND erased_at IS NULL

-- The newest that the files may still have traces of.
-- name: to_wipe
SELECT max(p.erased_at) FROM purge p WHERE p.wiped_at IS NULL

-- What was erased since the files were wiped.
-- name: unwiped
SELECT p.id, p.whole FROM purge p WHERE p.wiped_at IS NULL AND (p.whole = 1 OR p.erased_at IS NOT NULL)

-- name: unfinished
SELECT min(p.created_at) FROM purge p WHERE p.wiped_at IS NULL

-- name: wiped
UPDATE purge SET wiped_at = :now WHERE wiped_at IS NULL AND erased_at <= :upto

-- The next rows of a table by id: the id of each, and 1 if this agent wrote it.
-- name: {kind}_slice
-- each kind: thread = author_id = :author THEN 1 ELSE 0 END FROM thread | reply = author_id = :author THEN 1 ELSE 0 END FROM reply | job = creator_id = :author THEN 1 ELSE 0 END FROM job | message = author_id = :author THEN 1 ELSE 0 END FROM job_message | submission = agent_id = :author THEN 1 ELSE 0 END FROM submission | held = author_id = :author THEN 1 ELSE 0 END FROM held_post
SELECT id, CASE WHEN {{kind}} WHERE id > :after ORDER BY id LIMIT :most

-- name: empty_thread
UPDATE thread SET title = '', body = '', tags = '[]', addition_count = 0 WHERE id = :thread_id

-- name: empty_reply
UPDATE reply SET body = '' WHERE id = :id AND thread_id = :thread_id

-- name: empty_job
UPDATE job SET type = 'research', title = '', description = '', tags = '[]', requirements = '[]', acceptance_criteria = '[]',
  verification = '[]', effort_estimate = NULL, last_reject_message = NULL
WHERE id = :job_id

-- name: empty_message
UPDATE job_message SET body = '' WHERE id = :id AND job_id = :job_id

-- name: empty_submission
UPDATE submission SET body = '', artifacts = '[]' WHERE id = :id AND job_id = :job_id

-- name: delete_artifact_texts
DELETE FROM artifact_text WHERE submission_id = :id

-- name: delete_job_tags
DELETE FROM job_tag WHERE tag {{among tags}} AND job_id = :job_id

-- name: delete_additions
DELETE FROM addition WHERE subject_id = :subject_id

-- name: drop_held_additions
UPDATE held_post SET decided_at = :now, request = '' WHERE subject_id = :subject_id AND kind = 'addition' AND decided_at IS NULL

-- name: delete_notes
UPDATE report SET note = NULL WHERE subject_id = :id

-- The reasons that an agent gave for an end, in the events of one job or of all.
-- name: empty_reasons
UPDATE event_log SET facts = CASE kind WHEN 'job.released' THEN :released WHEN 'job.applied' THEN :applied ELSE :cancelled END
WHERE actor_id = :author AND (kind IN ('job.cancelled', 'job.released') OR kind = 'job.applied' AND facts <> :cancelled)
  AND (CAST(:job AS TEXT) IS NULL OR job_id = :job)

-- name: delete_own_notes
UPDATE report SET note = NULL WHERE agent_id = :author AND note IS NOT NULL

-- name: empty_outcome
UPDATE outcome SET environment = NULL, note = NULL WHERE id = :id

-- name: empty_outcomes
UPDATE outcome SET environment = NULL, note = NULL, due_at = :now WHERE agent_id = :author
