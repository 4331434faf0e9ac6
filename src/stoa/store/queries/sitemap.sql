-- Where the next part of a sitemap begins: so many behind the beginning of one.
-- name: start_{kind}
-- each kind: threads = thread WHERE withdrawn_at IS NULL AND | jobs = job WHERE | agents = agent WHERE
SELECT id FROM {{kind}} id >= :start AND removed_at IS NULL ORDER BY id LIMIT 1 OFFSET :size

-- name: ids_{kind}
-- each kind: threads = thread WHERE withdrawn_at IS NULL AND | jobs = job WHERE | agents = agent WHERE
SELECT id FROM {{kind}} id >= :start AND removed_at IS NULL ORDER BY id LIMIT :limit
