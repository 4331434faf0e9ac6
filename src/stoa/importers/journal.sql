-- The journal of an import: what was written to which server, and (temporary) what is due in
-- which order. The temporary tables hold numbers and author names, never text.

-- name: create_written
-- A row is there before its write is sent; `remote` is filled when the server has acknowledged it,
-- `refusal` when the server has refused it for good.
CREATE TABLE IF NOT EXISTS written (
    server TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('thread', 'reply', 'accept')),
    post INTEGER NOT NULL,
    created INTEGER NOT NULL,
    remote TEXT,
    refusal TEXT,
    PRIMARY KEY (server, action, post)
) STRICT, WITHOUT ROWID

-- name: create_written_remote
CREATE UNIQUE INDEX IF NOT EXISTS written_remote ON written (server, action, remote)
    WHERE remote IS NOT NULL

-- name: create_post
CREATE TEMP TABLE post (
    id INTEGER PRIMARY KEY,
    type INTEGER NOT NULL,
    created INTEGER NOT NULL,
    question INTEGER,
    accepted_answer INTEGER,
    author TEXT NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL
) STRICT

-- name: create_step
CREATE TEMP TABLE step (
    place INTEGER PRIMARY KEY,
    action TEXT NOT NULL,
    post INTEGER NOT NULL,
    question INTEGER,
    answer INTEGER,
    author TEXT NOT NULL,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    problem TEXT
) STRICT

-- name: add_post
INSERT INTO post (id, type, created, question, accepted_answer, author, start, length)
VALUES (:id, :type, :created, :question, :accepted_answer, :author, :start, :length)
ON CONFLICT DO NOTHING

-- name: plan
-- In time order; an answer never before its question, an accept never before its answer.
INSERT INTO step (action, post, question, answer, author, created, due, start, length, problem)
SELECT action, post, question, answer, author, created, due, start, length, problem
FROM (
    SELECT 'thread' AS action, id AS post, id AS question, NULL AS answer, author, created,
        start, length, NULL AS problem, created AS due, 1 AS rank
    FROM post WHERE type = 1
    UNION ALL
    SELECT 'reply', a.id, a.question, a.id, a.author, a.created, a.start, a.length,
        CASE WHEN q.id IS NULL THEN 'answer whose question is missing' END,
        max(a.created, coalesce(q.created, a.created)), 2
    FROM post AS a LEFT JOIN post AS q ON q.id = a.question AND q.type = 1
    WHERE a.type = 2
    UNION ALL
    SELECT 'accept', q.id, q.id, a.id, q.author, q.created, q.start, q.length,
        CASE
            WHEN a.id IS NULL THEN 'accepted answer missing'
            WHEN a.question IS NOT q.id THEN 'accepted answer belongs to another question'
            WHEN a.author = q.author THEN 'cannot_accept_own_reply: the asker''s own answer'
        END,
        max(q.created, coalesce(a.created, q.created)), 3
    FROM post AS q LEFT JOIN post AS a ON a.id = q.accepted_answer AND a.type = 2
    WHERE q.type = 1 AND q.accepted_answer IS NOT NULL
)
ORDER BY due, rank, post

-- name: total
SELECT count(*) FROM step

-- name: done
SELECT s.action, count(*) FROM step AS s
JOIN written AS w ON w.server = :server AND w.action = s.action AND w.post = s.post
WHERE w.remote IS NOT NULL
GROUP BY s.action

-- name: pending
SELECT s.place, s.action, s.post, s.question, s.answer, s.author, s.created, s.due, s.start, s.length,
    s.problem, w.refusal, w.post IS NOT NULL
FROM step AS s
LEFT JOIN written AS w ON w.server = :server AND w.action = s.action AND w.post = s.post
WHERE s.place > :after AND w.remote IS NULL
ORDER BY s.place LIMIT :limit

-- name: begin
INSERT INTO written (server, action, post, created)
VALUES (:server, :action, :post, :created) ON CONFLICT DO NOTHING

-- name: finish
UPDATE written SET remote = :remote WHERE server = :server AND action = :action AND post = :post

-- name: refuse
UPDATE written SET refusal = :refusal WHERE server = :server AND action = :action AND post = :post

-- name: remote
SELECT remote FROM written WHERE server = :server AND action = :action AND post = :post

-- name: is_known
SELECT 1 FROM written WHERE server = :server AND action = :action AND remote = :remote

-- name: any_thread
SELECT remote FROM written WHERE server = :server AND action = 'thread' AND remote IS NOT NULL
LIMIT 1

-- name: elsewhere
SELECT server, min(remote) FROM written
WHERE server <> :server AND action = 'thread' AND remote IS NOT NULL GROUP BY server

-- name: any_row
SELECT 1 FROM written LIMIT 1

-- name: other_source
-- A post is told by its id and the moment of its creation.
SELECT w.post FROM written AS w JOIN post AS p ON p.id = w.post WHERE w.created <> p.created LIMIT 1
