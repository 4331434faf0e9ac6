-- The watches of words that may meet a text with these.
-- name: of_words
SELECT DISTINCT w.agent_id, w.id, w.target
FROM {{items words}} CROSS JOIN watch_word x CROSS JOIN watch w
WHERE x.word = j.value AND x.agent_id > :behind AND w.id = x.watch_id AND w.created_at <= :at
ORDER BY w.agent_id, w.id LIMIT :limit

-- name: told_at
SELECT seq, agent_id, kind FROM told WHERE seq {{among places}}
UNION ALL
SELECT t.seq, w.agent_id, t.kind FROM told_thread t JOIN thread_writer w ON w.thread_id = t.thread_id WHERE t.seq {{among places}}
