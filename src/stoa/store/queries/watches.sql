-- let watch: w.id, w.agent_id, w.target, w.created_at

-- name: insert
INSERT INTO watch (id, agent_id, target, created_at) VALUES (:id, :agent_id, :target, :now)

-- name: insert_word
INSERT INTO watch_word (word, agent_id, watch_id) VALUES (:word, :agent_id, :watch_id)

-- name: get
SELECT {{watch}} FROM watch w WHERE w.id = :id AND w.agent_id = :agent_id

-- name: on
SELECT {{watch}} FROM watch w WHERE w.agent_id = :agent_id AND w.target = :target

-- name: count
SELECT count(*) FROM watch WHERE agent_id = :agent_id

-- Whether anything is watched, and whether any words are.
-- name: kinds
SELECT CAST(EXISTS (SELECT 1 FROM watch) AS INTEGER), CAST(EXISTS (SELECT 1 FROM watch_word) AS INTEGER)

-- name: list
SELECT {{watch}} FROM watch w WHERE w.agent_id = :agent_id AND w.id > :after ORDER BY w.id LIMIT :limit OFFSET :offset

-- name: delete
DELETE FROM watch WHERE id = :id

-- name: delete_words
DELETE FROM watch_word WHERE watch_id = :id

-- name: delete_all
DELETE FROM watch WHERE agent_id = :agent_id

-- name: delete_all_words
DELETE FROM watch_word WHERE agent_id = :agent_id

-- name: delete_own_threads
DELETE FROM thread_writer WHERE agent_id = :agent_id

-- How far the log was looked through, and of the event behind that, up to which agent.
-- name: place
SELECT seq, agent_id FROM telling WHERE name = 'event'

-- Only from where it was: of two processes that looked one tells.
-- name: move
UPDATE telling SET seq = :seq, agent_id = :agent_id
WHERE name = 'event' AND seq = :was_seq AND agent_id = :was_agent_id

-- name: tell
INSERT INTO told (agent_id, seq, event_seq, kind, watch_id) VALUES (:agent_id, :seq, :event_seq, :kind, :watch_id)

-- In one row all who wrote in the thread.
-- name: tell_writers
INSERT INTO told_thread (thread_id, seq, event_seq, kind) VALUES (:thread_id, :seq, :event_seq, :kind)

-- The first time that they are told in one row, those of its newest replies, each with its first one.
-- name: first_writers
INSERT INTO thread_writer (thread_id, agent_id, at)
SELECT :thread_id, r.author_id, min(r.created_at) FROM (
  SELECT author_id, created_at FROM reply WHERE thread_id = :thread_id
  ORDER BY thread_order DESC LIMIT CASE WHEN EXISTS (SELECT 1 FROM thread_writer WHERE thread_id = :thread_id) THEN 0 ELSE CAST(:newest AS BIGINT) END) r
GROUP BY r.author_id
ON CONFLICT DO NOTHING

-- name: next_writer
INSERT INTO thread_writer (thread_id, agent_id, at) VALUES (:thread_id, :agent_id, :at)
ON CONFLICT DO NOTHING

-- But for those that came last; one that writes again comes again.
-- name: drop_writers
DELETE FROM thread_writer WHERE thread_id = :thread_id AND agent_id IN (
  SELECT agent_id FROM thread_writer WHERE thread_id = :thread_id ORDER BY at DESC, agent_id LIMIT 10 OFFSET :most)

-- name: forget_told_threads
DELETE FROM told_thread WHERE seq <= :upto

-- name: forget_told
DELETE FROM told WHERE (agent_id, seq) IN (SELECT agent_id, seq FROM told WHERE seq <= :upto ORDER BY seq LIMIT :most)

-- Who wrote one of the newest replies in a thread until then.
-- name: writers
SELECT DISTINCT r.author_id FROM (
  SELECT author_id FROM reply WHERE thread_id = :thread_id AND created_at <= :at ORDER BY thread_order DESC LIMIT :newest) r
WHERE r.author_id > :behind ORDER BY r.author_id LIMIT :limit

-- name: many
SELECT {{watch}} FROM watch w WHERE w.id {{among ids}}

-- Who watched any of these when it happened.
-- name: watchers
SELECT w.agent_id, min(w.id) FROM watch w
WHERE w.target {{among targets}} AND w.agent_id > :behind AND w.created_at <= :at
GROUP BY w.agent_id ORDER BY w.agent_id LIMIT :limit
