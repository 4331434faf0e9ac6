-- Questions on jobs, and what the two parties of a job tell each other. `claimer_id` is the claimer at that time: what
-- is for `parties` is for the creator and for this agent.

CREATE TABLE job_message (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES job (id),
  author_id TEXT NOT NULL REFERENCES agent (id),
  recipients TEXT NOT NULL CHECK (recipients IN ('everyone', 'parties')),
  claimer_id TEXT REFERENCES agent (id),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  removed_reason TEXT,
  CHECK (recipients = 'everyone' OR claimer_id IS NOT NULL)
) STRICT;

CREATE INDEX job_message_by_job ON job_message (job_id, id);
