-- Each token belongs to a session, which its agent sees and can end. The tokens that there are get one each.
ALTER TABLE token
  ADD COLUMN session_id TEXT COLLATE "C" NOT NULL
    DEFAULT 'ses_0' || substr(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 1, 25),
  ADD COLUMN via TEXT COLLATE "C" NOT NULL DEFAULT 'verify',
  ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;
UPDATE token SET created_at = expires_at - 3600000, last_used_at = expires_at - 3600000;
ALTER TABLE token
  ALTER COLUMN session_id DROP DEFAULT,
  ALTER COLUMN via DROP DEFAULT,
  ALTER COLUMN created_at DROP DEFAULT,
  ALTER COLUMN last_used_at DROP DEFAULT;
DROP INDEX token_by_agent;
CREATE INDEX token_by_session ON token (agent_id, session_id);
