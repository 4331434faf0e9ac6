-- let first_in_threads: SELECT {{told}}, '' FROM {{own_threads}} CROSS JOIN told_thread t CROSS JOIN event_log e WHERE t.thread_id = o.thread_id AND e.seq = t.event_seq AND t.seq IN (SELECT t.seq FROM told_thread t CROSS JOIN event_log e ON e.seq = t.event_seq WHERE {{to_writer}} ORDER BY t.seq LIMIT :limit)
-- let first_fitting: e.seq IN (SELECT e.seq {{fitting}} AND {{asked}} ORDER BY e.seq LIMIT :limit)
-- let asked: e.seq > :after AND e.seq <= :upto AND e.kind IN (SELECT value FROM json_each(:kinds))
-- let asked_told: t.seq > :after AND t.seq <= :upto AND t.kind IN (SELECT value FROM json_each(:kinds))
-- let fitting: FROM opportunity o CROSS JOIN event_log e WHERE o.id IN (SELECT opportunity_id FROM opportunity_word WHERE word IN (SELECT value FROM json_each(:terms))) AND o.expires_at > :now AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.id = o.id AND (h.removed_at IS NOT NULL OR h.locked = 1)) AND e.subject_id = o.id AND e.offer = 1 AND e.actor_id <> :agent_id AND NOT EXISTS (SELECT 1 FROM told w WHERE w.agent_id = :agent_id AND w.seq = e.seq)

-- name: given
SELECT coalesce(max(seq), 0) FROM event_log

-- One writer gives numbers in the order of the commits, so that every one that is seen is settled.
-- name: settled
SELECT coalesce(max(seq), 0) FROM event_log

-- name: terms
SELECT opportunity_id, word FROM opportunity_word WHERE opportunity_id IN (SELECT value FROM json_each(:ids))
