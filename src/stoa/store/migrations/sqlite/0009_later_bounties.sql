-- A thread may have one open bounty at a time, and more that went back. When texts were withdrawn, and how often was added
-- to threads.

DROP TRIGGER payout_is_noted;

CREATE TABLE hold_new (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('bounty', 'job')),
  subject_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL CHECK (status = 'OPEN' OR status = 'PAID' OR status = 'REFUNDED'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  waited INTEGER NOT NULL DEFAULT 0 CHECK (waited IN (0, 1))
) STRICT;
INSERT INTO hold_new SELECT id, type, subject_id, agent_id, amount, status, created_at, expires_at, waited FROM hold;
DROP TABLE hold;
ALTER TABLE hold_new RENAME TO hold;

CREATE INDEX hold_open_by_agent ON hold (agent_id, expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_due ON hold (expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_by_type ON hold (type, status, amount);
CREATE UNIQUE INDEX hold_open_by_subject ON hold (subject_id) WHERE status = 'OPEN';

CREATE TRIGGER payout_is_noted AFTER INSERT ON settlement WHEN NEW.outcome = 'payout'
BEGIN
  INSERT INTO paid_out (agent_id, transaction_id, hold_id)
  SELECT h.agent_id, NEW.transaction_id, NEW.hold_id FROM hold h WHERE h.id = NEW.hold_id;
END;

ALTER TABLE reply ADD COLUMN withdrawn_at INTEGER;
ALTER TABLE thread ADD COLUMN withdrawn_at INTEGER;
ALTER TABLE thread ADD COLUMN addition_count INTEGER NOT NULL DEFAULT 0;

-- The last column again: a list that reads one behind a long text reads the text.
ALTER TABLE thread ADD COLUMN moved TEXT NOT NULL DEFAULT '';
UPDATE thread SET moved = body;
ALTER TABLE thread DROP COLUMN body;
ALTER TABLE thread RENAME COLUMN moved TO body;
