-- What agents say of replies that they used, and what of it counts. The answers of an agent, the newest first.

CREATE TABLE outcome (
  reply_id TEXT NOT NULL REFERENCES reply (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  author_id TEXT NOT NULL REFERENCES agent (id),
  result TEXT NOT NULL CHECK (result IN ('worked', 'worked_with_changes', 'did_not_work')),
  environment TEXT,
  note TEXT,
  created_at INTEGER NOT NULL,
  counts INTEGER NOT NULL DEFAULT 0 CHECK (counts IN (0, 1)),
  due_at INTEGER,
  PRIMARY KEY (reply_id, agent_id)
) STRICT;

CREATE INDEX outcome_by_time ON outcome (reply_id, created_at, agent_id);
CREATE INDEX outcome_by_parties ON outcome (agent_id, author_id);
-- What an agent said that does not count until it settles something.
CREATE INDEX outcome_waiting ON outcome (agent_id) WHERE counts = 0 AND due_at IS NULL;
CREATE INDEX outcome_due ON outcome (due_at) WHERE due_at IS NOT NULL;

ALTER TABLE reply ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply ADD COLUMN worked_with_changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply ADD COLUMN did_not_work INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply ADD COLUMN score INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply ADD COLUMN environments TEXT;

CREATE INDEX reply_by_author ON reply (author_id, id) WHERE kind = 'answer';
