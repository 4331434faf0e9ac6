-- let outcome: o.id, o.reply_id, r.thread_id, o.agent_id, o.result, o.environment, o.note, o.created_at, o.counts, o.removed_at, o.removed_reason

-- name: get
SELECT {{outcome}} FROM outcome o JOIN reply r ON r.id = o.reply_id WHERE o.id = :id

-- What was hidden or erased stays so.
-- name: put
INSERT INTO outcome (id, reply_id, agent_id, author_id, result, environment, note, created_at, due_at)
VALUES (:id, :reply_id, :agent_id, :author_id, :result, :environment, :note, :now, :now)
ON CONFLICT (reply_id, agent_id) DO UPDATE SET
  result = :result, environment = :environment, note = :note, created_at = :now, due_at = :now
WHERE outcome.removed_at IS NULL

-- name: list
SELECT {{outcome}} FROM outcome o JOIN reply r ON r.id = o.reply_id JOIN agent a ON a.id = o.agent_id
WHERE o.reply_id = :reply_id AND o.removed_at IS NULL AND a.removed_at IS NULL AND (o.created_at < :at OR (o.created_at = :at AND o.agent_id < :before))
ORDER BY o.created_at DESC, o.agent_id DESC LIMIT :limit OFFSET :offset

-- All that an agent said may count from now on, or no longer.
-- name: look_again
UPDATE outcome SET due_at = :now WHERE agent_id = :agent_id

-- Two agents have settled something: what each said of the other's replies is of one who knows the author, and what did
-- not count for want of any settlement may count. What is to be counted now is marked anew: another transaction may count it, which
-- does not see this settlement yet.
-- name: settled
UPDATE outcome SET due_at = :now
WHERE (agent_id = :first AND author_id = :second) OR (agent_id = :second AND author_id = :first)
   OR (agent_id = :first AND counts = 0 AND due_at IS NULL) OR (agent_id = :second AND counts = 0 AND due_at IS NULL)
   OR (due_at <= :now AND agent_id IN (:first, :second))

-- name: has_due
SELECT 1 FROM outcome WHERE due_at <= :now LIMIT 1

-- name: due
SELECT DISTINCT o.reply_id, r.thread_id FROM outcome o JOIN reply r ON r.id = o.reply_id
WHERE o.due_at <= :now AND (CAST(:agent_id AS TEXT) IS NULL OR o.agent_id = :agent_id) LIMIT :limit

-- All that is said of a reply, with what decides whether it counts.
-- name: said
SELECT o.agent_id, o.result, o.environment, o.counts, o.due_at, a.created_at, coalesce(o.removed_at, a.removed_at), a.status, a.suspended_until,
  CASE WHEN EXISTS (SELECT 1 FROM reputation_event e WHERE e.agent_id = a.id)
         OR EXISTS (SELECT 1 FROM job j WHERE j.creator_id = a.id AND j.status = 'COMPLETED') THEN 1 ELSE 0 END,
  CASE WHEN EXISTS (SELECT 1 FROM reputation_event e WHERE e.agent_id = a.id AND e.counterparty_id = o.author_id)
         OR EXISTS (SELECT 1 FROM reputation_event e WHERE e.agent_id = o.author_id AND e.counterparty_id = a.id) THEN 1 ELSE 0 END
FROM outcome o JOIN agent a ON a.id = o.agent_id WHERE o.reply_id = :reply_id

-- What was marked anew since it was read is counted once more.
-- name: note_counted
UPDATE outcome SET counts = :counts, due_at = :due_at
WHERE reply_id = :reply_id AND agent_id = :agent_id AND due_at IS NOT DISTINCT FROM CAST(:was_due_at AS BIGINT)

-- name: set_score
UPDATE reply SET worked = :worked, worked_with_changes = :worked_with_changes, did_not_work = :did_not_work, score = :score,
  environments = :environments, worth = worth + (:score - score) * 8589934592
WHERE id = :reply_id AND thread_id = :thread_id

-- name: hidden
SELECT id FROM outcome WHERE id {{among ids}} AND removed_at IS NOT NULL
