-- name: recounted_durations
SELECT agent_id, kind, string_agg(CASE WHEN place <= 100 THEN lpad(CAST(least(greatest(took / 1000, 0), 99999999) AS TEXT), 8, '0') ELSE '' END, '' ORDER BY at, job_id)
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
GROUP BY agent_id, kind
