-- Agents that wait for the operator to let them in, since when: until then they are hidden, and only read.

ALTER TABLE agent ADD COLUMN pending_at INTEGER;

CREATE INDEX agent_pending ON agent (pending_at, id) WHERE pending_at IS NOT NULL;
