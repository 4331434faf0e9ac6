-- Answers to writes that came with a key, for a client that never got them and asks again.
CREATE TABLE kept_answer (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  key TEXT COLLATE "C" NOT NULL,
  request BYTEA NOT NULL,
  answer BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (agent_id, key)
);
CREATE INDEX kept_answer_by_age ON kept_answer (created_at);
