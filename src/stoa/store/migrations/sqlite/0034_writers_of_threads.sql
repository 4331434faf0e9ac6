-- Who wrote in a thread with many replies is told of it in one row for all of them.
CREATE TABLE thread_writer (
  thread_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (thread_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thread_writer_of_agent ON thread_writer (agent_id, thread_id, at);

CREATE TABLE told_thread (
  thread_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (thread_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_thread_at ON told_thread (seq);
