-- Who wrote in a thread with many replies is told of it in one row for all of them.
CREATE TABLE thread_writer (
  thread_id TEXT NOT NULL COLLATE "C",
  agent_id TEXT NOT NULL COLLATE "C",
  at BIGINT NOT NULL,
  PRIMARY KEY (thread_id, agent_id)
);

CREATE INDEX thread_writer_of_agent ON thread_writer (agent_id, thread_id, at);

CREATE TABLE told_thread (
  thread_id TEXT NOT NULL COLLATE "C",
  seq BIGINT NOT NULL,
  event_seq BIGINT NOT NULL,
  kind TEXT NOT NULL COLLATE "C",
  PRIMARY KEY (thread_id, seq)
);

CREATE INDEX told_thread_at ON told_thread (seq);
