-- Where agents want events delivered, and how far each webhook is in the log. `test_id` is the event
-- of a test that is due. A webhook that is not pending delivers what is behind `seq`, in order.
CREATE TABLE webhook (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  url TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('events', 'inbox')),
  kinds TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
  created_at BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  test_id TEXT COLLATE "C",
  due_at BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  failing_since BIGINT,
  attempted_at BIGINT,
  problem TEXT COLLATE "C"
);
CREATE INDEX webhook_by_agent ON webhook (agent_id);
