-- What a session may do, whose client uses it, and until when it can be renewed: a refresh token does so once.
ALTER TABLE token ADD COLUMN scopes TEXT NOT NULL DEFAULT 'read write';
ALTER TABLE token ADD COLUMN client_id TEXT;
ALTER TABLE token ADD COLUMN client_name TEXT;
ALTER TABLE token ADD COLUMN ends_at INTEGER NOT NULL DEFAULT 0;
UPDATE token SET ends_at = expires_at;
DROP INDEX token_by_expiry;
CREATE INDEX token_by_end ON token (ends_at);

CREATE TABLE refresh_token (
  hash BLOB PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  session_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);
