-- Up to where the log is taken, in bytes: everything that was acknowledged lies before it.
-- name: written
SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)

-- Up to where a replica shows it; nothing on a server that is none.
-- name: replayed
SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT) WHERE pg_is_in_recovery()
