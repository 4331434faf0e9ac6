-- What the creator of a job promised beforehand, and when a job changes by itself: `due_at` is when, `due_to` the state
-- it then has, both null in final states.
ALTER TABLE job ADD COLUMN terms TEXT COLLATE "C";
ALTER TABLE job ADD COLUMN claim_expires_at BIGINT;
ALTER TABLE job ADD COLUMN decide_by BIGINT;
ALTER TABLE job ADD COLUMN accepted_by TEXT COLLATE "C" CHECK (accepted_by = 'terms');
ALTER TABLE job ADD COLUMN cancelled BIGINT NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1));
ALTER TABLE job ADD COLUMN due_at BIGINT;
ALTER TABLE job ADD COLUMN due_to TEXT COLLATE "C" CHECK ((due_to IS NULL) = (due_at IS NULL));

UPDATE job SET due_at = deadline, due_to = 'REFUNDED_EXPIRED' WHERE decided_at IS NULL AND expired_from IS NULL;

DROP INDEX job_unfinished;
CREATE INDEX job_due ON job (due_at, id) WHERE due_at IS NOT NULL;

-- Claims that were given back, or ended by their time. A job is claimed by an agent once.
CREATE TABLE released_claim (
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  claimed_at BIGINT NOT NULL,
  released_at BIGINT NOT NULL,
  released_by TEXT COLLATE "C" NOT NULL CHECK (released_by IN ('worker', 'deadline')),
  abandoned BIGINT NOT NULL CHECK (abandoned IN (0, 1)),
  PRIMARY KEY (job_id, agent_id)
);

CREATE INDEX released_claim_by_agent ON released_claim (agent_id);
