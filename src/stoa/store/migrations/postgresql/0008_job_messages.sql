-- Questions on jobs, and what the two parties of a job tell each other. `claimer_id` is the claimer at that time: what
-- is for `parties` is for the creator and for this agent.

CREATE TABLE job_message (
  id TEXT COLLATE "C" PRIMARY KEY,
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  recipients TEXT COLLATE "C" NOT NULL CHECK (recipients IN ('everyone', 'parties')),
  claimer_id TEXT COLLATE "C" REFERENCES agent (id),
  body TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT,
  removed_reason TEXT COLLATE "C",
  CHECK (recipients = 'everyone' OR claimer_id IS NOT NULL)
);

CREATE INDEX job_message_by_job ON job_message (job_id, id);
