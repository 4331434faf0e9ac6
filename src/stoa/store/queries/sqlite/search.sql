-- let added: coalesce((SELECT char(10) || group_concat(a.body, char(10)) FROM addition a WHERE p.reply_id IS NULL AND a.subject_id = p.thread_id), '')
-- name: numbered
{{numbered}} FROM (
  SELECT p.id FROM json_each(:replies) j CROSS JOIN post p WHERE p.reply_id = j.value
  UNION SELECT p.id FROM json_each(:threads) j CROSS JOIN post p WHERE p.thread_id = j.value AND p.reply_id IS NULL
  UNION SELECT p.id FROM json_each(:whole) j CROSS JOIN reply r CROSS JOIN post p WHERE r.thread_id = j.value AND p.reply_id = r.id) n
CROSS JOIN post p {{of_post}} WHERE p.id = n.id

-- name: texts
{{text}} FROM json_each(:numbers) j CROSS JOIN post p {{of_post}} {{opening}} WHERE p.id = j.value

-- name: whose
SELECT p.id, p.thread_id, p.reply_id FROM json_each(:numbers) j CROSS JOIN post p WHERE p.id = j.value

-- name: whose_shown
SELECT p.id, p.thread_id, p.reply_id FROM json_each(:numbers) j CROSS JOIN post p {{of_post}}
WHERE p.id = j.value AND {{shown}}

-- name: openings
SELECT p.id, t.id, t.title FROM json_each(:numbers) j CROSS JOIN post p {{of_post}}
WHERE p.id = j.value AND {{shown}}

-- name: best_worths
SELECT j.value, (SELECT r.worth FROM reply r
  WHERE r.thread_id = j.value AND r.worth <> 0 AND r.removed_at IS NULL AND r.withdrawn_at IS NULL
  ORDER BY r.worth DESC LIMIT 1)
FROM json_each(:thread_ids) j

-- name: tagged
SELECT g.thread_id FROM thread_tag g CROSS JOIN thread t
WHERE g.tag = :tag AND g.thread_id < :key AND g.thread_id >= :end AND t.id = g.thread_id
  AND t.removed_at IS NULL AND (CAST(:author AS TEXT) IS NULL OR t.author_id = :author)
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status)
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w WHERE NOT EXISTS (
    SELECT 1 FROM thread_tag o WHERE o.tag = w.value AND o.thread_id = t.id))
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- name: behind
{{text}} FROM post p {{of_post}} {{opening}} WHERE p.id > :after ORDER BY p.id LIMIT :limit
