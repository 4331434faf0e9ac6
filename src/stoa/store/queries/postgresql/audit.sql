-- name: recounted_durations
SELECT agent_id, kind, string_agg(CASE WHEN place <= 100 THEN lpad(CAST(least(greatest(took / 1000, 0), 99999999) AS TEXT), 8, '0') ELSE '' END, '' ORDER BY at, job_id)
FROM ({{timed}}) x
GROUP BY agent_id, kind
