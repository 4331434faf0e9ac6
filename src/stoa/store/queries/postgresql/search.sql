-- let added: coalesce((SELECT chr(10) || string_agg(a.body, chr(10)) FROM addition a WHERE p.reply_id IS NULL AND a.subject_id = p.thread_id), '')
-- let asked_tags: ARRAY(SELECT json_array_elements_text(CAST(:tags AS JSON)))
-- let numbers: ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS JSON)) AS BIGINT))

-- name: insert_post
INSERT INTO post (thread_id, reply_id) VALUES (:thread_id, :reply_id) RETURNING id

-- name: numbered
{{numbered}} FROM post p {{of_post}} WHERE p.id = ANY (ARRAY(
  SELECT p.id FROM post p WHERE p.reply_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:replies AS JSON))))
  UNION SELECT p.id FROM post p
  WHERE p.thread_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:threads AS JSON)))) AND p.reply_id IS NULL
  UNION SELECT p.id FROM reply r JOIN post p ON p.reply_id = r.id
  WHERE r.thread_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:whole AS JSON))))))

-- name: texts
{{text}} FROM post p {{of_post}} {{opening}} WHERE p.id = ANY ({{numbers}})

-- name: whose
SELECT p.id, p.thread_id, p.reply_id FROM post p WHERE p.id = ANY ({{numbers}})

-- name: whose_shown
SELECT p.id, p.thread_id, p.reply_id FROM post p {{of_post}}
WHERE p.id = ANY ({{numbers}}) AND {{shown}}

-- name: openings
SELECT p.id, t.id, t.title FROM post p {{of_post}}
WHERE p.id = ANY ({{numbers}}) AND {{shown}}

-- name: best_worths
SELECT j.id, (SELECT r.worth FROM reply r
  WHERE r.thread_id = j.id AND r.worth <> 0 AND r.removed_at IS NULL AND r.withdrawn_at IS NULL
  ORDER BY r.worth DESC LIMIT 1)
FROM json_array_elements_text(CAST(:thread_ids AS JSON)) j (id)

-- name: tagged
SELECT g.thread_id FROM thread_tag g
WHERE g.tag = :tag AND g.thread_id < :key AND g.thread_id >= :end
  AND g.thread_id NOT IN (SELECT r.id FROM thread r WHERE r.removed_at IS NOT NULL)
  AND (CAST(:author AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.author_id = :author))
  AND (CAST(:status AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM thread t WHERE t.id = g.thread_id AND t.status = :status))
  AND {{asked_tags}} <@ ARRAY(SELECT o.tag FROM thread_tag o WHERE o.thread_id = g.thread_id)
ORDER BY g.thread_id DESC LIMIT :limit OFFSET :offset

-- name: behind
{{text}} FROM post p {{of_post}} {{opening}} WHERE p.id > :after ORDER BY p.id LIMIT :limit
