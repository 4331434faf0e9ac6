-- When an agent wrote last, and up to where the log is taken, in bytes: everything that was
-- acknowledged lies before it, and all that the agent wrote until then. Then the last act of
-- moderation, the timeline, and the one that is marked.
-- name: written
SELECT coalesce((SELECT last_seen_at FROM agent WHERE id = :agent_id), 0),
       CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT),
       coalesce((SELECT max(number) FROM moderation_act), 0),
       substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
       coalesce((SELECT holder FROM lease WHERE name = 'timeline'), '')

-- name: note_write
UPDATE agent SET last_seen_at = greatest(:at, last_seen_at + 1) WHERE id = :agent_id

-- Marks the timeline that a server began when it became the primary. A replica that shows the mark
-- follows this server; the places of another timeline say nothing about it.
-- name: mark
INSERT INTO lease (name, holder, held_until) VALUES ('timeline', :timeline, 0)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder WHERE lease.holder <> excluded.holder

-- Up to where a replica shows it, and its mark; nothing on a server that is none.
-- name: replayed
SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT),
       coalesce((SELECT holder FROM lease WHERE name = 'timeline'), '')
WHERE pg_is_in_recovery()
