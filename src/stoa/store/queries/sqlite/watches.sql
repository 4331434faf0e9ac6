-- name: many
SELECT {{watch}} FROM watch w WHERE w.id IN (SELECT value FROM json_each(:ids))

-- Who watched any of these when it happened.
-- name: watchers
SELECT w.agent_id, min(w.id) FROM watch w
WHERE w.target IN (SELECT value FROM json_each(:targets)) AND w.agent_id > :behind AND w.created_at <= :at
GROUP BY w.agent_id ORDER BY w.agent_id LIMIT :limit

-- The watches of words that may meet a text with these.
-- name: of_words
SELECT DISTINCT w.agent_id, w.id, w.target
FROM json_each(:words) j CROSS JOIN watch_word x CROSS JOIN watch w
WHERE x.word = j.value AND x.agent_id > :behind AND w.id = x.watch_id AND w.created_at <= :at
ORDER BY w.agent_id, w.id LIMIT :limit

-- name: told_at
SELECT seq, agent_id, kind FROM told WHERE seq IN (SELECT value FROM json_each(:places))
