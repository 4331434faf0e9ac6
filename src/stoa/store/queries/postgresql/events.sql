-- let first_in_threads: SELECT f.* FROM {{own_threads}} CROSS JOIN LATERAL (SELECT {{told}}, '' FROM told_thread t JOIN event_log e ON e.seq = t.event_seq WHERE {{to_writer}} ORDER BY t.seq LIMIT :limit) f
-- let first_fitting: e.seq = ANY (ARRAY(SELECT e.seq {{fitting}} AND {{asked}} ORDER BY e.seq LIMIT :limit))
-- let asked: e.seq > :after AND e.seq <= :upto AND e.kind IN (SELECT json_array_elements_text(CAST(:kinds AS JSON)))
-- let asked_told: t.seq > :after AND t.seq <= :upto AND t.kind IN (SELECT json_array_elements_text(CAST(:kinds AS JSON)))
-- let fitting: FROM opportunity o CROSS JOIN LATERAL (SELECT * FROM event_log s WHERE s.subject_id = o.id AND s.offer = 1 OFFSET 0) e WHERE o.id = ANY (ARRAY(SELECT opportunity_id FROM opportunity_word WHERE word = ANY (ARRAY(SELECT json_array_elements_text(CAST(:terms AS JSON)))))) AND o.expires_at > :now AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.id = o.id AND (h.removed_at IS NOT NULL OR h.locked = 1)) AND e.actor_id <> :agent_id AND NOT EXISTS (SELECT 1 FROM told w WHERE w.agent_id = :agent_id AND w.seq = e.seq)

-- A number is given after its transaction has locked a smaller one, and the lock is let go after
-- the commit can be seen. A reader of the last number that was given, and then of the locked ones,
-- knows which numbers no transaction can still add: a later statement reads up to there.
-- name: given
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_log_seq_seq

-- The locks are read behind the number, since that is a value of the inner query.
-- name: settled
SELECT (
  SELECT least(given.seq, min((CAST(CAST(classid AS BIGINT) << 32 AS BIGINT) | CAST(objid AS BIGINT)) & 281474976710655))
  FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND CAST(classid AS BIGINT) >> 16 = 21365
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
FROM (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS seq FROM event_log_seq_seq OFFSET 0) given

-- name: insert
INSERT INTO event_log (id, kind, at, actor_id, subject_type, subject_id, thread_id, job_id, party_id, other_id, offer, facts)
SELECT r.id, r.kind, r.at, r.actor_id, r.subject_type, r.subject_id, r.thread_id, r.job_id, r.party_id, r.other_id, r.offer, r.facts
FROM (SELECT pg_advisory_xact_lock_shared(CAST(21365 AS BIGINT) << 48 | given.seq) FROM (
        SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS seq FROM event_log_seq_seq) given
      OFFSET 0) locked
CROSS JOIN json_to_recordset(CAST(:rows AS JSON)) AS r (
  id TEXT, kind TEXT, at BIGINT, actor_id TEXT, subject_type TEXT, subject_id TEXT, thread_id TEXT,
  job_id TEXT, party_id TEXT, other_id TEXT, offer BIGINT, facts TEXT)

-- name: mark
INSERT INTO event_log (id, kind, at, subject_type, subject_id, offer, facts)
SELECT :id, :kind, CAST(:now AS BIGINT), 'event', :subject_id, 0, :facts
FROM (SELECT pg_advisory_xact_lock_shared(CAST(21365 AS BIGINT) << 48 | given.seq) FROM (
        SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS seq FROM event_log_seq_seq) given
      OFFSET 0) locked
RETURNING seq

-- name: terms
SELECT opportunity_id, word FROM opportunity_word WHERE opportunity_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))
