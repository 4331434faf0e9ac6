-- Where agents want events delivered, and how far each webhook is in the log. `test_id` is the event
-- of a test that is due. A webhook that is not pending delivers what is behind `seq`, in order.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  url TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('events', 'inbox')),
  kinds TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  test_id TEXT,
  due_at INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  attempted_at INTEGER,
  problem TEXT
) STRICT;
CREATE INDEX webhook_by_agent ON webhook (agent_id);
