-- let job: j.id, j.type, j.status, j.title, j.description, j.creator_id, j.claimer_id, j.tags, j.requirements, j.acceptance_criteria, j.verification, j.effort_estimate, j.amount, j.reject_count, j.last_reject_reason, j.last_reject_message, j.submission_count, j.latest_submission_id, j.created_at, j.deadline, j.claimed_at, j.submitted_at, j.decided_at, j.expired_from, j.terms, j.claim_expires_at, j.decide_by, j.accepted_by, j.cancelled, j.due_at, j.removed_at, j.removed_reason
-- let filters: j.removed_at IS NULL AND (CASE WHEN CAST(:status AS TEXT) IS NULL THEN TRUE ELSE (CASE WHEN j.due_at <= :now THEN CASE WHEN j.due_to = 'OPEN' AND j.deadline <= :now THEN 'REFUNDED_EXPIRED' ELSE j.due_to END ELSE j.status END) = :status END) AND (CASE WHEN CAST(:tag AS TEXT) IS NULL THEN TRUE ELSE EXISTS (SELECT 1 FROM job_tag w WHERE w.tag = :tag AND w.job_id = j.id) END) AND (CASE WHEN CAST(:creator AS TEXT) IS NULL THEN TRUE ELSE j.creator_id = :creator END) AND (CASE WHEN CAST(:claimed_by AS TEXT) IS NULL THEN TRUE ELSE j.claimer_id = :claimed_by AND (CASE WHEN j.due_at <= :now AND j.due_to = 'OPEN' THEN FALSE ELSE TRUE END) END)
-- let booked: j.status = :status AND (j.due_at IS NULL OR j.due_at > :now) AND j.removed_at IS NULL
-- let due: j.due_at <= :now AND (CASE WHEN j.due_at <= :now THEN CASE WHEN j.due_to = 'OPEN' AND j.deadline <= :now THEN 'REFUNDED_EXPIRED' ELSE j.due_to END ELSE j.status END) = :status AND j.removed_at IS NULL

-- A job that is `held` is locked too on PostgreSQL.
-- name: {way}
-- each way: get = :job_id | held = :job_id
SELECT {{job}} FROM job j WHERE j.id = {{way}}

-- What happened to a job, what was submitted for it, and what was added to its text.
-- name: life
SELECT e.position, e.event, e.agent_id, e.at, NULL, NULL FROM job_event e WHERE e.job_id = :job_id
UNION ALL
SELECT NULL, s.id, s.agent_id, s.created_at, s.body, s.artifacts
FROM submission s WHERE s.job_id = :job_id
UNION ALL
SELECT NULL, NULL, NULL, a.created_at, a.body, NULL FROM addition a WHERE a.subject_id = :job_id

-- name: insert
INSERT INTO job (id, type, status, title, description, creator_id, tags, requirements,
                 acceptance_criteria, verification, effort_estimate, amount, reject_count,
                 submission_count, created_at, deadline, terms, due_at, due_to)
VALUES (:job_id, :type, 'OPEN', :title, :description, :creator_id, :tags, :requirements,
        :acceptance_criteria, :verification, :effort_estimate, :amount, 0, 0, :now, :deadline, :terms, :deadline,
        'REFUNDED_EXPIRED')

-- name: claim
UPDATE job SET status = 'CLAIMED', claimer_id = :claimer_id, claimed_at = :now,
               claim_expires_at = :claim_expires_at, due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = 'OPEN' AND due_at > :now

-- name: submit
UPDATE job SET status = 'SUBMITTED', submission_count = submission_count + 1,
               latest_submission_id = :submission_id, submitted_at = :now, claim_expires_at = NULL,
               decide_by = :decide_by, due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = :was AND due_at > :now

-- name: reject
UPDATE job SET status = :status, reject_count = reject_count + 1, last_reject_reason = :reason,
               last_reject_message = :message, decided_at = :decided_at,
               claim_expires_at = :claim_expires_at, decide_by = NULL, due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = 'SUBMITTED' AND due_at > :now

-- name: complete
UPDATE job SET status = 'COMPLETED', decided_at = :now, due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = 'SUBMITTED' AND due_at > :now

-- What happens by itself, a claim that is given back, a job that is cancelled.
-- name: step
UPDATE job SET status = :status, claimer_id = :claimer_id, claimed_at = :claimed_at,
               claim_expires_at = :claim_expires_at, decided_at = :decided_at,
               expired_from = :expired_from, accepted_by = :accepted_by, cancelled = :cancelled,
               due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = :was

-- name: raise
UPDATE job SET amount = :amount WHERE id = :job_id AND status = :was AND due_at > :now

-- Of the tags of a job the rows are found by tag and job: no index has them by job alone.
-- name: raise_{listed}
-- each listed: tags = job_tag SET amount = :amount WHERE tag {{among tags}} AND job_id = :job_id | offer = opportunity SET amount = :amount WHERE id = :job_id | terms = opportunity_term SET amount = :amount WHERE opportunity_id = :job_id
UPDATE {{listed}}

-- name: extend
UPDATE job SET deadline = :deadline, due_at = :due_at, due_to = :due_to
WHERE id = :job_id AND status = :was AND due_at > :now

-- name: extend_{listed}
-- each listed: tags = job_tag SET deadline = :deadline WHERE tag {{among tags}} AND job_id = :job_id | offer = opportunity SET expires_at = :deadline WHERE id = :job_id
UPDATE {{listed}}

-- name: add_released
INSERT INTO released_claim (job_id, agent_id, claimed_at, released_at, released_by, abandoned)
VALUES (:job_id, :agent_id, :claimed_at, :at, :by, :abandoned)

-- name: released
SELECT 1 FROM released_claim WHERE job_id = :job_id AND agent_id = :agent_id

-- name: postpone
UPDATE job SET deadline = deadline + :ms, decide_by = decide_by + :ms, due_at = due_at + :ms WHERE id = :job_id

-- name: postpone_tags
UPDATE job_tag SET deadline = deadline + :ms WHERE tag {{among tags}} AND job_id = :job_id

-- name: tags_of
SELECT tags FROM job WHERE id = :job_id

-- What is still due of a job that has a claimer is undecided.
-- name: count_claimed
SELECT count(*), min(due_at) FROM job WHERE claimer_id = :agent_id AND due_at > :now

-- name: unfinished_of
SELECT {{job}} FROM hold h JOIN job j ON j.id = h.subject_id
WHERE h.agent_id = :agent_id AND h.status = 'OPEN' AND h.type = 'job'
UNION ALL
SELECT {{job}} FROM job j WHERE j.claimer_id = :agent_id AND j.due_at IS NOT NULL

-- name: add_event
INSERT INTO job_event (job_id, position, event, agent_id, at)
VALUES (:job_id, (SELECT count(*) FROM job_event WHERE job_id = :job_id), :event, :agent_id, :at)

-- Orders that put the largest first; a page starts behind (:key, :id).
-- name: list_{scope}_{order}
-- each scope: all = :scope = '' | status = j.status = :scope | creator = j.creator_id = :scope | claimer = j.claimer_id = :scope
-- each order: recent = j.id | reward = j.amount
SELECT {{job}} FROM job j
WHERE {{scope}} AND ({{order}}, j.id) < (:key, :id)
  AND {{filters}}
ORDER BY {{order}} DESC, j.id DESC LIMIT :limit OFFSET :offset

-- The next deadline first.
-- name: list_{scope}_deadline
-- each scope: all = :scope = '' | status = j.status = :scope | creator = j.creator_id = :scope | claimer = j.claimer_id = :scope
SELECT {{job}} FROM job j
WHERE {{scope}} AND (j.deadline, j.id) > (:key, :id)
  AND {{filters}}
ORDER BY j.deadline, j.id LIMIT :limit OFFSET :offset

-- Joined by an expression, as in threads.sql.
-- name: list_tag_{order}
-- each order: recent = g.job_id | reward = g.amount
SELECT {{job}} FROM job_tag g CROSS JOIN job j
WHERE g.tag = :scope AND j.id = g.job_id || '' AND ({{order}}, g.job_id) < (:key, :id)
  AND ({{order}}, g.job_id) >= (:end, :end_id) AND {{filters}}
ORDER BY {{order}} DESC, g.job_id DESC LIMIT :limit OFFSET :offset

-- The place of the job that stands so many behind (:key, :id).
-- name: far_tag_{order}
-- each order: recent = g.job_id | reward = g.amount
SELECT {{order}}, g.job_id FROM job_tag g
WHERE g.tag = :scope AND ({{order}}, g.job_id) < (:key, :id)
ORDER BY {{order}} DESC, g.job_id DESC LIMIT 1 OFFSET :most

-- name: list_tag_deadline
SELECT {{job}} FROM job_tag g CROSS JOIN job j
WHERE g.tag = :scope AND j.id = g.job_id || '' AND (g.deadline, g.job_id) > (:key, :id)
  AND (g.deadline, g.job_id) <= (:end, :end_id) AND {{filters}}
ORDER BY g.deadline, g.job_id LIMIT :limit OFFSET :offset

-- name: far_tag_deadline
SELECT g.deadline, g.job_id FROM job_tag g
WHERE g.tag = :scope AND (g.deadline, g.job_id) > (:key, :id)
ORDER BY g.deadline, g.job_id LIMIT 1 OFFSET :most

-- Jobs in a state that they may be in by themselves, behind (:key, :id): those that are booked in the order of an index,
-- merged with the few that are due and stand in no index under this state.
-- name: state_{order}
-- each order: recent = j.id | reward = j.amount
WITH page AS MATERIALIZED (
  SELECT j.id AS id, {{order}} AS place FROM job j
  WHERE {{booked}} AND ({{order}}, j.id) < (:key, :id)
  UNION ALL
  SELECT j.id, {{order}} FROM job j
  WHERE {{due}} AND ({{order}}, j.id) < (:key, :id)
  ORDER BY place DESC, id DESC LIMIT :limit OFFSET :offset)
SELECT {{job}} FROM page p CROSS JOIN job j WHERE j.id = p.id ORDER BY p.place DESC, p.id DESC

-- name: state_deadline
WITH page AS MATERIALIZED (
  SELECT j.id AS id, j.deadline AS place FROM job j
  WHERE {{booked}} AND (j.deadline, j.id) > (:key, :id)
  UNION ALL
  SELECT j.id, j.deadline FROM job j
  WHERE {{due}} AND (j.deadline, j.id) > (:key, :id)
  ORDER BY place, id LIMIT :limit OFFSET :offset)
SELECT {{job}} FROM page p CROSS JOIN job j WHERE j.id = p.id ORDER BY p.place, p.id

-- name: open_samples
SELECT {{job}} FROM opportunity o CROSS JOIN job j
WHERE o.type = 'job' AND o.expires_at > :now AND o.author_id <> :agent_id AND j.id = o.id AND o.assignment = 'first'
  AND o.offered_to IS NULL AND o.requires IS NULL
  AND NOT EXISTS (SELECT 1 FROM released_claim c WHERE c.job_id = o.id AND c.agent_id = :agent_id)
ORDER BY o.amount DESC, o.created_at DESC, o.id DESC LIMIT :limit

-- name: offered_days
SELECT created_at / 86400000 FROM job WHERE creator_id = :agent_id ORDER BY id DESC LIMIT :limit

-- name: claimed_days
SELECT claimed_at / 86400000 FROM job WHERE claimer_id = :agent_id ORDER BY id DESC LIMIT :limit

-- name: many
SELECT {{job}} FROM job j WHERE j.id {{among job_ids}}

-- name: released_among
SELECT r.job_id FROM released_claim r
WHERE r.agent_id = :agent_id AND r.job_id {{among job_ids}}

-- name: changed
SELECT e.job_id, max(e.at) FROM job_event e
WHERE e.job_id {{among job_ids}} GROUP BY e.job_id

-- name: submission_texts
SELECT id, body FROM submission WHERE id {{among ids}}

-- name: titles
SELECT id, title FROM job WHERE id {{among job_ids}} AND removed_at IS NULL
