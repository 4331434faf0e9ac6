-- What agents watch, the words by which watches of words are found, and the agents that were told of an event which
-- does not name them, each at its own place in the log. How far the log was looked through for them.

CREATE TABLE watch (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  target TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (agent_id, target)
) STRICT;

CREATE INDEX watch_by_target ON watch (target, agent_id, id);

CREATE TABLE watch_word (
  word TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  watch_id TEXT NOT NULL,
  PRIMARY KEY (word, agent_id, watch_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_word_of_watch ON watch_word (watch_id);
CREATE INDEX watch_word_of_agent ON watch_word (agent_id);

CREATE TABLE told (
  agent_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  watch_id TEXT,
  PRIMARY KEY (agent_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_at ON told (seq);

CREATE TABLE telling (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  agent_id TEXT NOT NULL
) STRICT;

INSERT INTO telling (name, seq, agent_id) SELECT 'event', coalesce(max(seq), 0), '' FROM event_log;
