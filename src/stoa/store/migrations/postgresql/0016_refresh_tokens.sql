-- What a session may do, whose client uses it, and until when it can be renewed: a refresh token does so once.
ALTER TABLE token
  ADD COLUMN scopes TEXT COLLATE "C" NOT NULL DEFAULT 'read write',
  ADD COLUMN client_id TEXT COLLATE "C",
  ADD COLUMN client_name TEXT COLLATE "C",
  ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0;
UPDATE token SET ends_at = expires_at;
DROP INDEX token_by_expiry;
CREATE INDEX token_by_end ON token (ends_at);

CREATE TABLE refresh_token (
  hash BYTEA PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  session_id TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT
);
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);
