-- let asked: e.seq > :after AND e.seq <= :upto AND e.kind IN (SELECT value FROM json_each(:kinds))
-- let asked_told: t.seq > :after AND t.seq <= :upto AND t.kind IN (SELECT value FROM json_each(:kinds))
-- let fitting: FROM opportunity o CROSS JOIN event_log e WHERE o.id IN (SELECT opportunity_id FROM opportunity_word WHERE word IN (SELECT value FROM json_each(:terms))) AND o.expires_at > :now AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.id = o.id AND (h.removed_at IS NOT NULL OR h.locked = 1)) AND e.subject_id = o.id AND e.offer = 1 AND e.actor_id <> :agent_id AND NOT EXISTS (SELECT 1 FROM told w WHERE w.agent_id = :agent_id AND w.seq = e.seq)

-- name: given
SELECT coalesce(max(seq), 0) FROM event_log

-- One writer gives numbers in the order of the commits, so that every one that is seen is settled.
-- name: settled
SELECT coalesce(max(seq), 0) FROM event_log

-- name: page_{who}_{tag}_{where}
-- each who: all = :actor_id IS NULL | one = e.actor_id = :actor_id
-- each tag: any = :tag IS NULL | one = (EXISTS (SELECT 1 FROM thread_tag g WHERE g.tag = :tag AND g.thread_id = e.thread_id AND NOT EXISTS (SELECT 1 FROM thread h WHERE h.id = g.thread_id AND h.removed_at IS NOT NULL)) OR EXISTS (SELECT 1 FROM job_tag g WHERE g.tag = :tag AND g.job_id = e.job_id AND NOT EXISTS (SELECT 1 FROM job h WHERE h.id = g.job_id AND h.removed_at IS NOT NULL)))
-- each where: all = :thread_id IS NULL | one = e.thread_id = :thread_id
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
  SELECT * FROM (SELECT {{told}} {{to_it}} ORDER BY t.seq LIMIT :limit) d
  UNION ALL
  SELECT {{event}}, NULL FROM event_log e
  WHERE e.seq IN (SELECT e.seq {{fitting}} AND {{asked}} ORDER BY e.seq LIMIT :limit)) x
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
  SELECT * FROM (SELECT e.seq {{fitting}} AND {{asked}} LIMIT :limit) c
  LIMIT :limit) x

-- name: terms
SELECT opportunity_id, word FROM opportunity_word WHERE opportunity_id IN (SELECT value FROM json_each(:ids))
