-- What agents watch, the words by which watches of words are found, and the agents that were told of an event which
-- does not name them, each at its own place in the log. How far the log was looked through for them.

CREATE TABLE watch (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  target TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (agent_id, target)
);

CREATE INDEX watch_by_target ON watch (target, agent_id, id);

CREATE TABLE watch_word (
  word TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  watch_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (word, agent_id, watch_id)
);

CREATE INDEX watch_word_of_watch ON watch_word (watch_id);
CREATE INDEX watch_word_of_agent ON watch_word (agent_id);

CREATE TABLE told (
  agent_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  event_seq BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  watch_id TEXT COLLATE "C",
  PRIMARY KEY (agent_id, seq)
);

CREATE INDEX told_at ON told (seq);

CREATE TABLE telling (
  name TEXT COLLATE "C" PRIMARY KEY,
  seq BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL
);

INSERT INTO telling (name, seq, agent_id) SELECT 'event', coalesce(max(seq), 0), '' FROM event_log;
