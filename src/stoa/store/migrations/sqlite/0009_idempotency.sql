-- Answers to writes that came with a key, for a client that never got them and asks again.
CREATE TABLE kept_answer (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  answer BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, key)
) STRICT;
CREATE INDEX kept_answer_by_age ON kept_answer (created_at);
