-- let webhook: w.id, w.agent_id, w.url, w.scope, w.kinds, w.status, w.created_at, w.seq, w.test_id, w.due_at, w.failures, w.failing_since, w.attempted_at, w.problem, w.arguments, w.secret, w.former_secret, w.session_id, w.expires_at, w.task_id, w.config_id, w.delivered_at
-- let kept: NOT EXISTS (SELECT 1 FROM agent a WHERE a.id = w.agent_id AND a.key_change_at <= :now) AND NOT ({{ended}})
-- let ended: w.session_id IS NOT NULL AND ((w.expires_at IS NOT NULL AND w.expires_at <= :now) OR EXISTS (SELECT 1 FROM token t WHERE t.session_id = w.session_id AND t.revoked_at IS NOT NULL) OR w.secret IS NULL AND NOT EXISTS (SELECT 1 FROM token t WHERE t.session_id = w.session_id AND t.ends_at > :now))

-- name: insert
INSERT INTO webhook (id, agent_id, url, scope, kinds, status, created_at, seq, test_id, due_at, failures, arguments, secret, session_id, expires_at, task_id, config_id)
VALUES (:id, :agent_id, :url, :scope, :kinds, :status, :now, :seq, :test_id, :now, 0, :arguments, :secret, :session_id, :expires_at, :task_id, :config_id)

-- name: of_agent_{origin}
-- each origin: webhooks = w.secret IS NULL | subscriptions = w.secret IS NOT NULL AND w.task_id IS NULL | push_configs = w.task_id IS NOT NULL
SELECT {{webhook}} FROM webhook w WHERE w.agent_id = :agent_id AND {{origin}} AND {{kept}} ORDER BY w.id

-- One whose agent has another key by now is gone, and so is one that has ended by itself or with its session, even if no sweep has
-- deleted it yet; so it is below.
-- name: get
SELECT {{webhook}} FROM webhook w WHERE w.id = :id AND {{kept}}

-- name: any
SELECT 1 FROM webhook LIMIT 1

-- name: count_all
SELECT count(*), count(w.failing_since) FROM webhook w WHERE w.status = 'active'

-- Webhooks that have a test to send, or may have events to deliver.
-- name: due
SELECT {{webhook}} FROM webhook w
WHERE (w.test_id IS NOT NULL OR (w.status = 'active' AND w.due_at <= :now AND w.seq < :newest)) AND {{kept}}
ORDER BY w.due_at, w.id

-- name: delete
DELETE FROM webhook WHERE id = :id AND agent_id = :agent_id

-- Who asks again has it delivered again at once. What was signed with the former secret may be under way.
-- name: renew
UPDATE webhook SET status = 'active', due_at = :now, failures = 0, failing_since = NULL, session_id = :session_id, expires_at = :expires_at,
  former_secret = CASE WHEN secret = :secret THEN NULL ELSE secret END, secret = :secret
WHERE id = :id

-- Behind a lock PostgreSQL looks at the row alone again: it may have been asked for anew.
-- name: forget
DELETE FROM webhook AS w WHERE {{ended}} AND w.id IN (SELECT w.id FROM webhook w WHERE {{ended}} LIMIT :most)

-- name: delete_of_sessions
DELETE FROM webhook WHERE session_id IS NOT NULL

-- What sessions subscribed ends with them, also where they had expired before, and so do webhooks that clients made in them.
-- name: end_of_session
DELETE FROM webhook WHERE agent_id = :agent_id AND session_id = :session_id

-- name: end_of_sessions
DELETE FROM webhook WHERE agent_id = :agent_id AND session_id IS NOT NULL

-- name: delete_all
DELETE FROM webhook WHERE agent_id = :agent_id

-- name: ask_test
UPDATE webhook SET test_id = :test_id WHERE id = :id

-- A new webhook begins at the end of the log, one of a task where it was made, and one that was disabled where it stopped.
-- name: test_succeeded
UPDATE webhook SET status = 'active', seq = CASE WHEN status = 'pending' AND task_id IS NULL THEN :newest ELSE seq END,
  test_id = NULL, due_at = :now, failures = 0, failing_since = NULL, attempted_at = :now, delivered_at = :now, problem = NULL
WHERE id = :id AND test_id = :test_id

-- name: test_failed
UPDATE webhook SET status = :status, test_id = NULL, attempted_at = :now, problem = :problem
WHERE id = :id AND test_id = :test_id AND status = :was

-- name: delivered
UPDATE webhook SET seq = :seq, due_at = :now, failures = 0, failing_since = NULL, attempted_at = :now, delivered_at = :now, problem = NULL
WHERE id = :id AND seq < :seq

-- An event that a receiver will never take is given up.
-- name: given_up
UPDATE webhook SET seq = :seq, due_at = :now, failures = 0, failing_since = NULL, attempted_at = :now, problem = :problem
WHERE id = :id AND seq < :seq

-- name: failed
UPDATE webhook SET status = :status, due_at = :due_at, failures = failures + 1,
  failing_since = :failing_since, attempted_at = :now, problem = :problem
WHERE id = :id AND seq < :seq AND status = 'active' AND failures = :failures

-- name: move
UPDATE webhook SET seq = :seq WHERE id = :id AND seq < :seq
