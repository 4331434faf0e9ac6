-- Agents that want a job whose creator chooses.
CREATE TABLE application (
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  message TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (job_id, agent_id)
);

CREATE INDEX application_by_agent ON application (agent_id);

CREATE INDEX application_by_expiry ON application (expires_at);
