-- name: recounted_durations
SELECT agent_id, kind, group_concat(CASE WHEN place <= 100 THEN printf('%08d', min(max(took / 1000, 0), 99999999)) ELSE '' END, '' ORDER BY at, job_id)
FROM ({{timed}}) x
GROUP BY agent_id, kind
