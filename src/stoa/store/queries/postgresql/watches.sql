-- let at_places: ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:places AS JSON)) AS BIGINT)))

-- The watches of words that may meet a text with these.
-- name: of_words
SELECT DISTINCT w.agent_id, w.id, w.target
FROM watch_word x JOIN watch w ON w.id = x.watch_id
WHERE x.word {{among words}} AND x.agent_id > :behind AND w.created_at <= :at
ORDER BY w.agent_id, w.id LIMIT :limit

-- name: told_at
SELECT seq, agent_id, kind FROM told WHERE seq = {{at_places}}
UNION ALL
SELECT t.seq, w.agent_id, t.kind FROM told_thread t JOIN thread_writer w ON w.thread_id = t.thread_id WHERE t.seq = {{at_places}}

-- name: tell
INSERT INTO told (agent_id, seq, event_seq, kind, watch_id)
SELECT r.agent_id, r.seq, r.event_seq, r.kind, r.watch_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (agent_id TEXT, seq BIGINT, event_seq BIGINT, kind TEXT, watch_id TEXT)

-- name: insert_word
INSERT INTO watch_word (word, agent_id, watch_id)
SELECT r.word, r.agent_id, r.watch_id
FROM json_to_recordset(CAST(:rows AS JSON)) AS r (word TEXT, agent_id TEXT, watch_id TEXT)
