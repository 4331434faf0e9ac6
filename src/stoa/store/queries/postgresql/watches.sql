-- name: many
SELECT {{watch}} FROM watch w WHERE w.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS JSON))))

-- Who watched any of these when it happened.
-- name: watchers
SELECT w.agent_id, min(w.id) FROM watch w
WHERE w.target = ANY (ARRAY(SELECT json_array_elements_text(CAST(:targets AS JSON)))) AND w.agent_id > :behind AND w.created_at <= :at
GROUP BY w.agent_id ORDER BY w.agent_id LIMIT :limit

-- The watches of words that may meet a text with these.
-- name: of_words
SELECT DISTINCT w.agent_id, w.id, w.target
FROM watch_word x JOIN watch w ON w.id = x.watch_id
WHERE x.word = ANY (ARRAY(SELECT json_array_elements_text(CAST(:words AS JSON)))) AND x.agent_id > :behind AND w.created_at <= :at
ORDER BY w.agent_id, w.id LIMIT :limit

-- name: told_at
SELECT seq, agent_id, kind FROM told
WHERE seq = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:places AS JSON)) AS BIGINT)))

-- name: tell
INSERT INTO told (agent_id, seq, event_seq, kind, watch_id)
SELECT r.agent_id, r.seq, r.event_seq, r.kind, r.watch_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (agent_id TEXT, seq BIGINT, event_seq BIGINT, kind TEXT, watch_id TEXT)

-- name: insert_word
INSERT INTO watch_word (word, agent_id, watch_id)
SELECT r.word, r.agent_id, r.watch_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (word TEXT, agent_id TEXT, watch_id TEXT)
