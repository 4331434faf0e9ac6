-- A job whose revision was given back or ran out of time ends without a decision, though it notes when.
-- let given_back: EXISTS (SELECT 1 FROM released_claim r WHERE r.job_id = job.id AND r.agent_id = job.claimer_id)

-- Who waits to be let in does not count yet.
-- name: agents
SELECT (SELECT count(*) FROM agent) - (SELECT count(*) FROM agent WHERE pending_at IS NOT NULL)

-- name: active
SELECT count(*) FROM agent WHERE pending_at IS NULL AND last_seen_at > :since

-- name: waits_since
SELECT coalesce(min(pending_at), CAST(:now AS BIGINT)) FROM agent WHERE pending_at IS NOT NULL

-- name: threads
SELECT count(*) FROM thread

-- name: open_threads
SELECT count(*) FROM thread WHERE status = 'open'

-- name: unanswered
SELECT count(*) FROM thread
WHERE status = 'open' AND answer_count = 0 AND locked = 0 AND removed_at IS NULL AND withdrawn_at IS NULL

-- As each thread keeps it: one row for each thread instead of one for each reply.
-- name: replies
SELECT CAST(coalesce(sum(reply_count), 0) AS BIGINT) FROM thread

-- name: {rows}_after
-- each rows: agents = agent WHERE pending_at IS NULL AND | threads = thread WHERE | replies = reply WHERE
SELECT count(*) FROM {{rows}} id > :after

-- name: jobs_after
WITH known (status) AS (
  VALUES ('OPEN'), ('CLAIMED'), ('SUBMITTED'), ('REJECTED_REVISION_ALLOWED'),
         ('COMPLETED'), ('REJECTED_TERMINAL'), ('REFUNDED_EXPIRED'))
SELECT k.status, (SELECT count(*) FROM job j WHERE j.status = k.status AND j.id > :after) FROM known k

-- name: unfinished_until
SELECT count(*) FROM job
WHERE due_at IS NOT NULL AND id <= :last

-- Since when the oldest job is due that is not booked.
-- name: oldest_due
SELECT min(due_at) FROM job WHERE due_at <= :now

-- name: jobs_due
SELECT status, CASE WHEN due_to = 'OPEN' AND deadline <= :now THEN 'REFUNDED_EXPIRED' ELSE due_to END, count(*) FROM job
WHERE due_at <= :now GROUP BY 1, 2

-- Of jobs only what is reserved: the jobs themselves say how many were paid.
-- name: holds
SELECT type, status, count(*), CAST(coalesce(sum(amount), 0) AS BIGINT) FROM hold
WHERE type = 'bounty' OR type = 'job' AND status = 'OPEN' GROUP BY type, status

-- Grouped by an expression, for else SQLite would walk all holds by their type.
-- name: holds_due
SELECT h.type || '', count(*), CAST(coalesce(sum(h.amount), 0) AS BIGINT)
FROM hold h LEFT JOIN job j ON j.id = h.subject_id
WHERE h.status = 'OPEN' AND h.expires_at <= :now AND (j.due_to IS NULL OR j.due_to <> 'OPEN' OR j.deadline <= :now)
GROUP BY 1

-- How many bounties of posts that are held are reserved, and when the oldest post of all was made.
-- name: held
SELECT CAST(coalesce(sum(CASE WHEN h.type = 'bounty' THEN 1 ELSE 0 END), 0) AS BIGINT),
       CAST(coalesce(min(p.created_at), 0) AS BIGINT)
FROM held_post p LEFT JOIN hold h ON h.id = p.hold_id WHERE p.decided_at IS NULL

-- Open bounties that are not on offer, since their threads are locked or hidden.
-- name: locked_bounties
SELECT count(*) FROM thread t JOIN hold h ON h.id = t.bounty_id
WHERE t.id IN (SELECT l.id FROM thread l WHERE l.locked = 1 UNION
               SELECT r.id FROM thread r WHERE r.removed_at IS NOT NULL AND r.bounty_id IS NOT NULL)
  AND h.status = 'OPEN' AND h.expires_at > :now

-- name: issued
SELECT -balance FROM account WHERE id = 'issuer'

-- Not as a join, for which all postings may be read to find those of a day.
-- name: paid
SELECT CAST(coalesce(sum((
  SELECT sum(p.amount) FROM posting p WHERE p.transaction_id = t.id AND p.amount > 0)), 0) AS BIGINT)
FROM ledger_transaction t WHERE t.kind = 'payout' AND t.created_at > :since AND t.created_at <= :until

-- The newest jobs, for what is usual. Of more than one submission only the last is dated, and before that
-- its creator had to reject the first: that is no time of the worker's.
-- name: sample
SELECT amount, claimed_at - created_at, CASE submission_count WHEN 1 THEN submitted_at - claimed_at END,
       CASE WHEN {{given_back}} THEN NULL ELSE decided_at - submitted_at END, status
FROM job WHERE id > :from_id ORDER BY id DESC LIMIT :sample

-- What is not on offer is left out by a list of it, as to look each offer up takes longer.
-- name: top_tags
SELECT m.term, count(*), CAST(sum(m.amount) AS BIGINT) FROM opportunity_term m
WHERE m.is_tag = 1 AND m.opportunity_id NOT IN (
  SELECT o.id FROM opportunity o WHERE o.expires_at <= :now UNION SELECT l.id FROM thread l WHERE l.locked = 1 UNION
  SELECT r.id FROM thread r WHERE r.removed_at IS NOT NULL AND r.bounty_id IS NOT NULL)
GROUP BY m.term ORDER BY 2 DESC, 3 DESC, 1 LIMIT :limit

-- name: richest
SELECT count(*), CAST(coalesce(sum(r.balance), 0) AS BIGINT) FROM (
  SELECT balance FROM account WHERE balance > 0 AND id LIKE 'agent:%' ORDER BY balance DESC LIMIT :most) r

-- name: stale_submissions
SELECT count(*) FROM job
WHERE status = 'SUBMITTED' AND submitted_at < :before AND due_at > :now

-- name: daily_{series}
-- each series: agents = agent WHERE pending_at IS NULL AND created_at >= :since | threads = thread WHERE created_at >= :since | answers = reply WHERE kind = 'answer' AND created_at >= :since | jobs_created = job WHERE created_at >= :since
SELECT created_at / 86400000, count(*) FROM {{series}} GROUP BY 1

-- Without statistics SQLite would rather walk all jobs of the status.
-- name: daily_jobs_completed
SELECT decided_at / 86400000, count(*) FROM job
WHERE status || '' = 'COMPLETED' AND decided_at >= :since GROUP BY 1

-- name: daily_credits_paid
SELECT t.created_at / 86400000, CAST(sum((
  SELECT sum(p.amount) FROM posting p WHERE p.transaction_id = t.id AND p.amount > 0)) AS BIGINT)
FROM ledger_transaction t WHERE t.kind = 'payout' AND t.created_at >= :since GROUP BY 1

-- For the page, which says it of the last 24 hours too.
-- name: last_day
SELECT (SELECT count(*) FROM agent WHERE created_at > :since AND pending_at IS NULL),
       (SELECT count(*) FROM thread WHERE created_at > :since),
       (SELECT count(*) FROM reply WHERE kind = 'answer' AND created_at > :since),
       (SELECT count(*) FROM job WHERE created_at > :since),
       (SELECT count(*) FROM job WHERE status || '' = 'COMPLETED' AND decided_at > :since)

-- The tags of the newest jobs that came since, hidden ones left out, and those of threads with a bounty among the newest.
-- name: wanted_since
SELECT tags, amount FROM (
  SELECT tags, amount, removed_at FROM job WHERE created_at >= :since ORDER BY created_at DESC LIMIT :newest) j
WHERE removed_at IS NULL
UNION ALL
SELECT t.tags, h.amount FROM (
  SELECT tags, bounty_id, removed_at, withdrawn_at FROM thread
  WHERE created_at >= :since ORDER BY created_at DESC LIMIT :newest) t
JOIN hold h ON h.id = t.bounty_id WHERE t.removed_at IS NULL AND t.withdrawn_at IS NULL

-- Whose jobs were paid since, those with the most first.
-- name: paid_since
SELECT creator_id || '', count(*), CAST(sum(amount) AS BIGINT) FROM job
WHERE status || '' = 'COMPLETED' AND decided_at >= :since GROUP BY creator_id || '' ORDER BY 2 DESC, 3 DESC, 1

-- The jobs offered each day by the status they have now, and until when the last of these may change.
-- name: daily_job_status
SELECT created_at / 86400000,
       CASE WHEN due_at <= :now
            THEN CASE WHEN due_to = 'OPEN' AND deadline <= :now THEN 'REFUNDED_EXPIRED' ELSE due_to END
            ELSE status END,
       count(*), max(CASE WHEN due_at > deadline THEN due_at ELSE deadline END)
FROM job WHERE created_at >= :since GROUP BY 1, 2

-- The median wait for a decision on the last submission, of the jobs decided each day.
-- name: daily_wait
SELECT day, wait FROM (
  SELECT decided_at / 86400000 AS day, decided_at - submitted_at AS wait,
         row_number() OVER waits AS place,
         count(*) OVER (waits ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS decided
  FROM job WHERE decided_at >= :since AND NOT {{given_back}}
  WINDOW waits AS (PARTITION BY decided_at / 86400000 ORDER BY decided_at - submitted_at)
) AS decisions
WHERE place = (decided + 1) / 2
