-- What OAuth clients ask for: paired with an agent that approves it, then traded for tokens with a code.
CREATE TABLE authorization_request (
  handle BLOB PRIMARY KEY CHECK (length(handle) = 32),
  pairing_code TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  state TEXT,
  challenge TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  agent_id TEXT REFERENCES agent (id),
  key_number INTEGER,
  code BLOB UNIQUE,
  code_expires_at INTEGER,
  used_at INTEGER,
  session_id TEXT
) STRICT;
CREATE INDEX authorization_request_by_expiry ON authorization_request (expires_at);
