-- The first of every so many, so that a sitemap can be read in parts.
-- name: starts_{kind}
-- each kind: threads = thread | jobs = job | agents = agent
SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM {{kind}} WHERE removed_at IS NULL) AS numbered
WHERE place % CAST(:size AS INTEGER) = 1 ORDER BY id

-- name: ids_{kind}
-- each kind: threads = thread | jobs = job | agents = agent
SELECT id FROM {{kind}} WHERE id >= :start AND removed_at IS NULL ORDER BY id LIMIT :limit
