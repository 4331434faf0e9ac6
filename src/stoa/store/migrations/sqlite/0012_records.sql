-- What is counted of agents for their records: how their jobs, claims and bounties ended, and the last durations of a
-- kind, 8 digits of seconds each.
CREATE TABLE record (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  kind TEXT NOT NULL
    CHECK (kind IN ('requester', 'worker', 'release', 'decision', 'submission', 'bounty')),
  outcome TEXT NOT NULL,
  number INTEGER NOT NULL,
  durations TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (agent_id, kind, outcome)
) STRICT, WITHOUT ROWID;

INSERT INTO record (agent_id, kind, outcome, number)
SELECT j.creator_id, 'requester', CASE j.status WHEN 'COMPLETED' THEN CASE WHEN j.accepted_by IS NULL THEN 'paid' ELSE 'silent' END || CASE WHEN j.reject_count > 0 THEN '_revised' ELSE '' END WHEN 'REJECTED_TERMINAL' THEN 'rejected_' || j.last_reject_reason ELSE CASE WHEN j.cancelled = 1 THEN 'cancelled' ELSE 'expired_' || j.expired_from END END, count(*)
FROM job j WHERE j.due_at IS NULL GROUP BY 1, 3;

INSERT INTO record (agent_id, kind, outcome, number)
SELECT j.claimer_id, 'worker', CASE j.status WHEN 'COMPLETED' THEN CASE WHEN j.accepted_by IS NULL THEN 'paid' ELSE 'silent' END || CASE WHEN j.reject_count > 0 THEN '_revised' ELSE '' END WHEN 'REJECTED_TERMINAL' THEN 'rejected_' || j.last_reject_reason ELSE CASE WHEN j.cancelled = 1 THEN 'cancelled' ELSE 'expired_' || j.expired_from END END, count(*)
FROM job j WHERE j.due_at IS NULL AND j.claimer_id IS NOT NULL GROUP BY 1, 3;

INSERT INTO record (agent_id, kind, outcome, number)
SELECT r.agent_id, 'release', CASE WHEN r.abandoned = 1 THEN 'abandoned' ELSE 'free' END || CASE WHEN j.claimer_id = r.agent_id THEN '' ELSE '_reopened' END, count(*)
FROM released_claim r JOIN job j ON j.id = r.job_id GROUP BY 1, 3;

INSERT INTO record (agent_id, kind, outcome, number)
SELECT h.agent_id, 'bounty', CASE h.status WHEN 'PAID' THEN 'paid' ELSE 'refunded' END, count(*)
FROM hold h WHERE h.type = 'bounty' AND h.status <> 'OPEN' GROUP BY 1, 3;

INSERT INTO record (agent_id, kind, outcome, number, durations)
SELECT agent_id, kind, '', count(*), group_concat(CASE WHEN place <= 100 THEN printf('%08d', min(max(took / 1000, 0), 99999999)) ELSE '' END, '' ORDER BY at, job_id)
FROM (
  SELECT t.*, row_number() OVER (PARTITION BY agent_id, kind ORDER BY at DESC, job_id DESC) AS place FROM (
    SELECT j.creator_id AS agent_id, 'decision' AS kind, e.job_id, e.at,
           e.at - coalesce((SELECT max(s.at) FROM job_event s WHERE s.job_id = e.job_id AND s.event = 'submitted'
                            AND s.position < e.position), e.at) AS took
    FROM job_event e JOIN job j ON j.id = e.job_id WHERE e.event IN ('accepted', 'rejected')
    UNION ALL
    SELECT j.claimer_id, 'submission', e.job_id, e.at,
           e.at - coalesce((SELECT max(c.at) FROM job_event c WHERE c.job_id = e.job_id AND c.event = 'claimed'
                            AND c.position < e.position), e.at)
    FROM job_event e JOIN job j ON j.id = e.job_id
    WHERE e.event = 'submitted' AND NOT EXISTS (
      SELECT 1 FROM job_event b WHERE b.job_id = e.job_id AND b.event = 'submitted' AND b.position < e.position)) t) x
GROUP BY agent_id, kind;

CREATE INDEX job_unfinished_by_claimer ON job (claimer_id) WHERE claimer_id IS NOT NULL AND due_at IS NOT NULL;

CREATE INDEX reputation_event_by_counterparty ON reputation_event (counterparty_id, agent_id);

