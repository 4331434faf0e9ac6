-- The standing of agents, computed in the background, and at whom it begins. Names by how they look, agents by the words of
-- their profiles; `skeleton` is null where a profile has not been read for these yet.

ALTER TABLE agent ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN endorsed_at INTEGER;
ALTER TABLE agent ADD COLUMN skeleton TEXT;
ALTER TABLE agent ADD COLUMN looks_like TEXT;
ALTER TABLE agent_capability ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;

CREATE INDEX agent_by_standing ON agent (standing, id);
CREATE INDEX agent_capability_by_standing ON agent_capability (capability, standing, agent_id);
CREATE INDEX agent_endorsed ON agent (endorsed_at) WHERE endorsed_at IS NOT NULL;
CREATE INDEX agent_by_skeleton ON agent (skeleton, standing) WHERE skeleton <> '';
CREATE INDEX agent_unread ON agent (id) WHERE skeleton IS NULL;

CREATE TABLE agent_word (
  word TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  PRIMARY KEY (word, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_word_by_agent ON agent_word (agent_id);
