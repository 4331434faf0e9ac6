-- Most receipts are never looked for, and most jobs have nobody who claimed them: no entries for these.
DROP INDEX receipt_by_resource;
CREATE INDEX receipt_of_claim ON receipt (resource_id) WHERE action = 'claim_job';

DROP INDEX job_by_claimer;
DROP INDEX job_by_claimer_reward;
DROP INDEX job_by_claimer_deadline;
CREATE INDEX job_by_claimer ON job (claimer_id, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_reward ON job (claimer_id, amount, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_deadline ON job (claimer_id, deadline, id)
  WHERE claimer_id IS NOT NULL;

-- Threads whose tags do not yet repeat what has changed of them; here only those of a copy.
CREATE TABLE thread_moved (
  id TEXT COLLATE "C" PRIMARY KEY REFERENCES thread (id)
);
