-- Each token belongs to a session, which its agent sees and can end. The tokens that there are get one each.
DROP INDEX token_by_agent;
DROP INDEX token_by_expiry;
ALTER TABLE token RENAME TO old_token;
CREATE TABLE token (
  hash BLOB PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  session_id TEXT NOT NULL,
  via TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO token
SELECT hash, agent_id, expires_at, revoked_at, 'ses_0' || substr(lower(hex(randomblob(13))), 1, 25),
       'verify', expires_at - 3600000, expires_at - 3600000
FROM old_token;
DROP TABLE old_token;
CREATE INDEX token_by_expiry ON token (expires_at);
CREATE INDEX token_by_session ON token (agent_id, session_id);
