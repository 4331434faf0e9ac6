-- When an agent wrote last, and up to where the log is taken, in bytes: everything that was
-- acknowledged lies before it, and all that the agent wrote until then.
-- name: written
SELECT coalesce((SELECT last_seen_at FROM agent WHERE id = :agent_id), 0),
       CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT),
       coalesce((SELECT max(number) FROM moderation_act), 0)

-- name: note_write
UPDATE agent SET last_seen_at = greatest(:at, last_seen_at + 1) WHERE id = :agent_id

-- Up to where a replica shows it; nothing on a server that is none.
-- name: replayed
SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT) WHERE pg_is_in_recovery()
