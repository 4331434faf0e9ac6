-- let event: e.seq, e.id, e.kind, e.at, e.actor_id, e.subject_type, e.subject_id, e.thread_id, e.job_id, e.party_id, e.other_id, e.offer, e.facts
-- let told: t.seq, e.id, t.kind, e.at, e.actor_id, e.subject_type, e.subject_id, e.thread_id, e.job_id, e.party_id, e.other_id, e.offer, e.facts
-- let to_it: FROM told t JOIN event_log e ON e.seq = t.event_seq WHERE t.agent_id = :agent_id AND {{asked_told}}
-- let own_threads: (SELECT w.thread_id, w.at FROM thread_writer w WHERE w.agent_id = :agent_id ORDER BY w.thread_id DESC LIMIT :threads) o
-- let to_writer: t.thread_id = o.thread_id AND {{asked_told}} AND e.at >= o.at AND e.actor_id IS DISTINCT FROM :agent_id AND e.party_id IS DISTINCT FROM :agent_id AND e.other_id IS DISTINCT FROM :agent_id AND NOT EXISTS (SELECT 1 FROM told d WHERE d.agent_id = :agent_id AND d.seq >= t.event_seq AND d.seq <= t.seq AND d.event_seq = t.event_seq)

-- name: insert
INSERT INTO event_log (id, kind, at, actor_id, subject_type, subject_id, thread_id, job_id, party_id, other_id, offer, facts)
VALUES (:id, :kind, :at, :actor_id, :subject_type, :subject_id, :thread_id, :job_id, :party_id, :other_id, :offer, :facts)

-- name: mark
INSERT INTO event_log (id, kind, at, subject_type, subject_id, offer, facts)
VALUES (:id, :kind, :now, 'event', :subject_id, 0, :facts)

-- The newest event up to a number, the newest one that is deleted, and the epoch.
-- name: log
SELECT coalesce((SELECT max(seq) FROM event_log WHERE seq <= :upto), 0), coalesce(max(deleted), 0), coalesce(max(epoch), 0)
FROM event_log_state WHERE name = 'event'

-- name: between
SELECT {{event}} FROM event_log e WHERE e.seq > :after AND e.seq <= :upto ORDER BY e.seq LIMIT :limit

-- name: of_task
SELECT {{event}} FROM event_log e
WHERE e.seq > :after AND e.seq <= :upto AND (e.job_id = :task_id OR e.thread_id = :task_id)
  AND e.kind IN ('job.claimed', 'job.released', 'job.cancelled', 'job.submitted', 'job.rejected', 'job.accepted', 'job.expired',
    'reply.created', 'reply.accepted', 'bounty.refunded')
ORDER BY e.seq LIMIT 1

-- When the first event behind a place happened.
-- name: first_behind
SELECT e.at FROM event_log e WHERE e.seq > :after ORDER BY e.seq LIMIT 1

-- Where so many events that concern an agent lie behind a place, in one of three indexes or of the threads that it wrote in.
-- name: far_inbox
SELECT min(x.seq) FROM (
  SELECT * FROM (SELECT e.seq FROM event_log e
    WHERE e.party_id = :agent_id AND e.seq > :after AND e.seq <= :upto ORDER BY e.seq LIMIT 1 OFFSET :most) a
  UNION ALL
  SELECT * FROM (SELECT e.seq FROM event_log e
    WHERE e.other_id = :agent_id AND e.seq > :after AND e.seq <= :upto ORDER BY e.seq LIMIT 1 OFFSET :most) b
  UNION ALL
  SELECT * FROM (SELECT t.seq FROM told t
    WHERE t.agent_id = :agent_id AND t.seq > :after AND t.seq <= :upto ORDER BY t.seq LIMIT 1 OFFSET :most) c
  UNION ALL
  SELECT (SELECT t.seq FROM told_thread t WHERE t.thread_id = o.thread_id AND t.seq > :after AND t.seq <= :upto
    ORDER BY t.seq LIMIT 1 OFFSET CAST(:most AS BIGINT) / (SELECT 1 + count(*) FROM {{own_threads}})) FROM {{own_threads}}) x

-- Of the oldest rows those before the first that is to stay.
-- name: last_to_delete
WITH oldest AS (SELECT seq, at FROM event_log WHERE seq < (SELECT max(seq) FROM event_log) ORDER BY seq LIMIT :limit)
SELECT max(seq) FROM oldest
WHERE seq < coalesce((SELECT min(seq) FROM oldest WHERE at >= :before), 9223372036854775807)

-- name: delete
DELETE FROM event_log WHERE seq <= :upto

-- name: note_deleted
INSERT INTO event_log_state (name, epoch, deleted) VALUES ('event', 0, :upto)
ON CONFLICT (name) DO UPDATE SET deleted = excluded.deleted WHERE excluded.deleted > event_log_state.deleted

-- name: deleted
SELECT deleted FROM event_log_state WHERE name = 'event'

-- name: begin_epoch
INSERT INTO event_log_state (name, epoch, deleted) VALUES ('event', :epoch, 0)
ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch

-- name: acknowledged
SELECT seq FROM inbox_place WHERE agent_id = :agent_id

-- name: acknowledge
INSERT INTO inbox_place (agent_id, seq) VALUES (:agent_id, :seq)
ON CONFLICT (agent_id) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > inbox_place.seq

-- name: page_{who}_{tag}_{where}
-- each who: all = CAST(:actor_id AS TEXT) IS NULL | one = e.actor_id = :actor_id
-- each tag: any = CAST(:tag AS TEXT) IS NULL | one = (EXISTS (SELECT 1 FROM thread_tag g WHERE g.tag = :tag AND g.thread_id = e.thread_id AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.id = g.thread_id AND h.removed_at IS NOT NULL)) OR EXISTS (SELECT 1 FROM job_tag g WHERE g.tag = :tag AND g.job_id = e.job_id AND NOT EXISTS (SELECT 1 FROM job h WHERE h.id = g.job_id AND h.removed_at IS NOT NULL)))
-- each where: all = CAST(:thread_id AS TEXT) IS NULL | one = e.thread_id = :thread_id
SELECT {{event}} FROM event_log e
WHERE {{asked}} AND {{who}} AND {{tag}} AND {{where}}
ORDER BY e.seq LIMIT :limit

-- What concerns an agent: the events that name it, those that it was told of, and what it could earn now. That is found by the terms of what is on
-- offer: to walk all that was offered and is over would take ever longer.
-- name: inbox
SELECT x.* FROM (
  SELECT * FROM (SELECT {{event}}, NULL FROM event_log e
    WHERE e.party_id = :agent_id AND {{asked}} ORDER BY e.seq LIMIT :limit) a
  UNION ALL
  SELECT * FROM (SELECT {{event}}, NULL FROM event_log e
    WHERE e.other_id = :agent_id AND {{asked}} ORDER BY e.seq LIMIT :limit) b
  UNION ALL
  SELECT * FROM (SELECT {{told}}, t.watch_id {{to_it}} ORDER BY t.seq LIMIT :limit) d
  UNION ALL
  {{first_in_threads}}
  UNION ALL
  SELECT {{event}}, NULL FROM event_log e
  WHERE {{first_fitting}}) x
ORDER BY x.seq LIMIT :limit

-- name: count_inbox
SELECT count(*) FROM (
  SELECT * FROM (SELECT e.seq FROM event_log e
    WHERE e.party_id = :agent_id AND {{asked}} LIMIT :limit) a
  UNION ALL
  SELECT * FROM (SELECT e.seq FROM event_log e
    WHERE e.other_id = :agent_id AND {{asked}} LIMIT :limit) b
  UNION ALL
  SELECT * FROM (SELECT t.seq {{to_it}} LIMIT :limit) d
  UNION ALL
  SELECT * FROM (SELECT t.seq FROM {{own_threads}} CROSS JOIN told_thread t JOIN event_log e ON e.seq = t.event_seq WHERE {{to_writer}} LIMIT :limit) g
  UNION ALL
  SELECT * FROM (SELECT e.seq {{fitting}} AND {{asked}} LIMIT :limit) c
  LIMIT :limit) x
