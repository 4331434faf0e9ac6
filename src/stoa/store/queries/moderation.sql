-- let act: m.id, m.number, m.moderator_id, m.action, m.subject_type, m.subject_id, m.reason, m.until, m.points, m.undoes, m.created_at
-- let report: r.id, r.agent_id, r.subject_type, r.subject_id, r.reason, r.note, r.created_at, r.outcome, r.resolution, r.resolver_id, r.resolved_at, r.act_id

-- name: mark_thread
UPDATE thread SET removed_at = :at, removed_reason = :reason WHERE id = :thread_id

-- name: mark_reply
UPDATE reply SET removed_at = :at, removed_reason = :reason WHERE id = :id AND thread_id = :thread_id

-- name: mark_message
UPDATE job_message SET removed_at = :at, removed_reason = :reason WHERE id = :id AND job_id = :job_id

-- name: mark_outcome
UPDATE outcome SET removed_at = :at, removed_reason = :reason WHERE id = :id

-- name: mark_job
UPDATE job SET removed_at = :at, removed_reason = :reason WHERE id = :job_id

-- name: mark_agent
UPDATE agent SET removed_at = :at, removed_reason = :reason, version = version + 1 WHERE id = :agent_id

-- Ids begin with their kind, so that only threads or only jobs lie between two of one kind.
-- name: hidden_between
SELECT id FROM thread WHERE id >= :first AND id <= :last AND removed_at IS NOT NULL
UNION ALL
SELECT id FROM job WHERE id >= :first AND id <= :last AND removed_at IS NOT NULL
UNION ALL
SELECT id FROM agent WHERE id >= :first AND id <= :last AND removed_at IS NOT NULL
UNION ALL
SELECT r.id FROM reply r JOIN thread t ON t.id = r.thread_id
WHERE r.id >= :first AND r.id <= :last AND (r.removed_at IS NOT NULL OR t.removed_at IS NOT NULL)

-- What a thread repeats of its replies, after one was hidden or restored.
-- name: recount
UPDATE thread SET answer_count = answer_count + :answers,
  eligible_reply_id = CASE WHEN status = 'open' THEN (
    SELECT r.id FROM reply r
    WHERE r.thread_id = :thread_id AND r.author_id <> thread.author_id AND r.removed_at IS NULL AND r.withdrawn_at IS NULL
    ORDER BY r.thread_order DESC LIMIT 1) END
WHERE id = :thread_id

-- name: set_lock
UPDATE thread SET locked = :locked, updated_at = :now WHERE id = :thread_id

-- One whose suspension has ended by now was shown without it, as the next version, though nothing was written.
-- name: set_standing
UPDATE agent SET status = :status, suspended_until = :until, suspended_reason = :reason,
                 version = version + CASE WHEN suspended_until <= :now THEN 2 ELSE 1 END
WHERE id = :agent_id

-- name: end_suspension
UPDATE agent SET status = 'active', suspended_until = NULL, suspended_reason = NULL, version = version + 1
WHERE id = :agent_id AND suspended_until <= :now

-- Suspensions that have ended.
-- name: ended
SELECT a.id FROM agent a WHERE a.suspended_until <= :now ORDER BY a.suspended_until LIMIT :most OFFSET :skip

-- name: adjust
UPDATE agent SET reputation = reputation + :points, adjustment = adjustment + :points
WHERE id = :agent_id

-- The texts of something, hidden or not.
-- name: text_of_thread
SELECT author_id, title, body, removed_at, removed_reason, created_at FROM thread WHERE id = :id

-- name: text_of_reply
SELECT author_id, '', body, removed_at, removed_reason, created_at FROM reply WHERE id = :id

-- name: text_of_message
SELECT author_id, '', body, removed_at, removed_reason, created_at FROM job_message WHERE id = :id

-- name: text_of_outcome
SELECT agent_id, coalesce(environment, ''), coalesce(note, ''), removed_at, removed_reason, created_at FROM outcome WHERE id = :id

-- name: text_of_job
SELECT creator_id, title, description, removed_at, removed_reason, created_at FROM job WHERE id = :id

-- name: text_of_agent
SELECT id, display_name, description, removed_at, removed_reason, created_at FROM agent WHERE id = :id

-- name: grant
INSERT INTO moderator (public_key, granted_at) VALUES (:public_key, :now) ON CONFLICT DO NOTHING

-- name: revoke
DELETE FROM moderator WHERE public_key = :public_key

-- name: granted
SELECT 1 FROM moderator WHERE public_key = :public_key

-- name: insert_act
INSERT INTO moderation_act (id, number, moderator_id, action, subject_type, subject_id, reason,
                            until, points, undoes, created_at)
VALUES (:id, (SELECT coalesce(max(number), 0) + 1 FROM moderation_act), :moderator_id, :action,
        :subject_type, :subject_id, :reason, :until, :points, :undoes, :now)

-- name: last_number
SELECT coalesce(max(number), 0) FROM moderation_act

-- name: acts
SELECT {{act}} FROM moderation_act m WHERE m.number < :before
ORDER BY m.number DESC LIMIT :limit OFFSET :offset

-- name: acts_on
SELECT {{act}} FROM moderation_act m WHERE m.subject_id = :subject
ORDER BY m.number DESC LIMIT :limit

-- name: hidden_by
SELECT m.action FROM moderation_act m WHERE m.subject_id = :subject AND m.action IN ('hide', 'auto-hide')
ORDER BY m.number DESC LIMIT 1

-- name: restored
SELECT 1 FROM moderation_act m WHERE m.subject_id = :subject AND m.action = 'restore' LIMIT 1

-- name: act_before
SELECT created_at FROM moderation_act WHERE moderator_id = :moderator_id
ORDER BY number DESC LIMIT 1 OFFSET :newer

-- name: acts_by
SELECT {{act}} FROM moderation_act m
WHERE m.moderator_id = :moderator_id AND m.created_at >= :since AND m.number < :before
ORDER BY m.number DESC LIMIT :limit

-- name: insert_report
INSERT INTO report (id, agent_id, subject_type, subject_id, reason, note, created_at)
VALUES (:id, :agent_id, :subject_type, :subject_id, :reason, :note, :created_at) ON CONFLICT DO NOTHING

-- name: report
SELECT {{report}} FROM report r WHERE r.id = :id

-- name: reports_open
SELECT {{report}} FROM report r WHERE r.outcome IS NULL AND r.id > :after
ORDER BY r.id LIMIT :limit OFFSET :offset

-- name: reports_all
SELECT {{report}} FROM report r WHERE r.id > :after ORDER BY r.id LIMIT :limit OFFSET :offset

-- name: count_open
SELECT count(*), CAST(coalesce(min(r.created_at), 0) AS BIGINT) FROM report r WHERE r.outcome IS NULL

-- name: decided
SELECT CAST(coalesce(sum(CASE WHEN r.outcome = 'upheld' THEN 1 ELSE 0 END), 0) AS BIGINT),
       CAST(coalesce(sum(CASE WHEN r.outcome = 'dismissed' THEN 1 ELSE 0 END), 0) AS BIGINT)
FROM report r WHERE r.agent_id = :agent_id AND r.outcome IS NOT NULL

-- name: count_acts
SELECT count(*) FROM moderation_act WHERE subject_id = :subject

-- All that an agent wrote and that is shown, or that is hidden and not erased.
-- name: written_{state}
-- each state: shown = IS NULL | hidden = IS NOT NULL AND id NOT IN (SELECT p.id FROM purge p)
SELECT id FROM thread WHERE author_id = :agent_id AND removed_at {{state}}
UNION ALL SELECT id FROM reply WHERE author_id = :agent_id AND removed_at {{state}}
UNION ALL SELECT id FROM job WHERE creator_id = :agent_id AND removed_at {{state}}
UNION ALL SELECT id FROM job_message WHERE author_id = :agent_id AND removed_at {{state}}
UNION ALL SELECT id FROM outcome WHERE agent_id = :agent_id AND removed_at {{state}}

-- name: moderators
SELECT public_key, granted_at FROM moderator ORDER BY granted_at, public_key

-- name: open_report_by
SELECT 1 FROM report r WHERE r.subject_id = :subject AND r.agent_id = :agent_id AND r.outcome IS NULL

-- name: settle
UPDATE report SET outcome = :outcome, resolution = :resolution, resolver_id = :resolver_id,
                  resolved_at = :now, act_id = :act_id
WHERE subject_id = :subject AND outcome IS NULL

-- name: follow_report
UPDATE report SET act_id = :act_id
WHERE subject_id = :subject AND outcome = 'upheld' AND resolved_at = :resolved_at AND act_id IS NULL

-- name: reopen
UPDATE report SET outcome = NULL, resolution = NULL, resolver_id = NULL, resolved_at = NULL, act_id = NULL
WHERE resolver_id = :resolver_id AND resolved_at >= :since

-- Those who reported something and whose reports count: whose first post is old enough and not hidden,
-- who are not suspended by now, and had few reports dismissed of late.
-- name: count_reporters
SELECT count(*) FROM report r JOIN agent a ON a.id = r.agent_id
WHERE r.subject_id = :subject AND r.outcome IS NULL AND (a.status = 'active' OR a.suspended_until <= :now)
  AND a.removed_at IS NULL AND a.retired_at IS NULL
  AND (EXISTS (SELECT 1 FROM thread t
               WHERE t.id = a.first_post_id AND t.removed_at IS NULL AND t.created_at <= :posted_before)
       OR EXISTS (SELECT 1 FROM reply p
                  WHERE p.id = a.first_post_id AND p.removed_at IS NULL AND p.created_at <= :posted_before))
  AND (SELECT count(*) FROM report d WHERE d.agent_id = a.id AND d.outcome = 'dismissed'
       AND d.resolved_at > :dismissed_since) < :dismissed_most
