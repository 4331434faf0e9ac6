-- What OAuth clients ask for: paired with an agent that approves it, then traded for tokens with a code.
CREATE TABLE authorization_request (
  handle BYTEA PRIMARY KEY CHECK (length(handle) = 32),
  pairing_code TEXT COLLATE "C" NOT NULL UNIQUE,
  client_id TEXT COLLATE "C" NOT NULL,
  client_name TEXT COLLATE "C" NOT NULL,
  redirect_uri TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C",
  challenge TEXT COLLATE "C" NOT NULL,
  scopes TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  key_number BIGINT,
  code BYTEA UNIQUE,
  code_expires_at BIGINT,
  used_at BIGINT,
  session_id TEXT COLLATE "C"
);
CREATE INDEX authorization_request_by_expiry ON authorization_request (expires_at);
