-- Agents that want a job whose creator chooses.
CREATE TABLE application (
  job_id TEXT NOT NULL REFERENCES job (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (job_id, agent_id)
) STRICT;

CREATE INDEX application_by_agent ON application (agent_id);

CREATE INDEX application_by_expiry ON application (expires_at);
