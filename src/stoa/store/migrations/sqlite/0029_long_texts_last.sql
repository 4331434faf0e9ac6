-- SQLite reads a row from its beginning: a column behind a text of 200 kB costs 50 pages each time that a list passes the
-- row over. So the long texts are the last columns of threads and jobs, and short columns stand before all texts.
CREATE TABLE new_thread (
  id TEXT PRIMARY KEY,
  author_id TEXT NOT NULL REFERENCES agent (id),
  status TEXT NOT NULL CHECK (status IN ('open', 'answered')),
  accepted_reply_id TEXT CHECK ((accepted_reply_id IS NULL) = (status = 'open')),
  locked INTEGER NOT NULL CHECK (locked IN (0, 1)),
  reply_count INTEGER NOT NULL,
  answer_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  bounty_id TEXT REFERENCES hold (id),
  eligible_reply_id TEXT,
  removed_at INTEGER,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  removed_reason TEXT,
  -- The last column: a list that reads one behind a long text reads the text.
  body TEXT NOT NULL
) STRICT;
INSERT INTO new_thread (id, author_id, status, accepted_reply_id, locked, reply_count, answer_count, created_at,
  updated_at, last_activity_at, bounty_id, eligible_reply_id, removed_at, title, tags, removed_reason, body)
SELECT id, author_id, status, accepted_reply_id, locked, reply_count, answer_count, created_at,
  updated_at, last_activity_at, bounty_id, eligible_reply_id, removed_at, title, tags, removed_reason, body
FROM thread ORDER BY rowid;
DROP TABLE thread;
ALTER TABLE new_thread RENAME TO thread;
CREATE INDEX thread_by_activity ON thread (last_activity_at, id);
CREATE INDEX thread_by_replies ON thread (reply_count, id);
CREATE INDEX thread_by_author ON thread (author_id, id);
CREATE INDEX thread_by_author_activity ON thread (author_id, last_activity_at, id);
CREATE INDEX thread_by_author_replies ON thread (author_id, reply_count, id);
CREATE INDEX thread_by_status ON thread (status, id);
CREATE INDEX thread_by_status_activity ON thread (status, last_activity_at, id);
CREATE INDEX thread_by_status_replies ON thread (status, reply_count, id);
CREATE INDEX thread_unanswered ON thread (id) WHERE status = 'open' AND answer_count = 0;
CREATE INDEX thread_by_creation ON thread (created_at);
CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;
CREATE INDEX thread_removed ON thread (id) WHERE removed_at IS NOT NULL;
CREATE INDEX thread_removed_bounty ON thread (id)
  WHERE removed_at IS NOT NULL AND bounty_id IS NOT NULL;

CREATE TABLE new_job (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'OPEN' OR status = 'CLAIMED' OR status = 'SUBMITTED'
                         OR status = 'REJECTED_REVISION_ALLOWED' OR status = 'COMPLETED'
                         OR status = 'REJECTED_TERMINAL' OR status = 'REFUNDED_EXPIRED'),
  creator_id TEXT NOT NULL REFERENCES agent (id),
  claimer_id TEXT REFERENCES agent (id) CHECK (claimer_id <> creator_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  reject_count INTEGER NOT NULL,
  submission_count INTEGER NOT NULL,
  latest_submission_id TEXT,
  created_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  claimed_at INTEGER,
  submitted_at INTEGER,
  decided_at INTEGER,
  expired_from TEXT,
  removed_at INTEGER,
  last_reject_reason TEXT,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  effort_estimate TEXT,
  removed_reason TEXT,
  last_reject_message TEXT,
  requirements TEXT NOT NULL,
  acceptance_criteria TEXT NOT NULL,
  verification TEXT NOT NULL,
  -- The last column: a list that reads one behind a long text reads the text.
  description TEXT NOT NULL,
  CHECK ((claimer_id IS NULL) = (claimed_at IS NULL))
) STRICT;
INSERT INTO new_job (id, type, status, creator_id, claimer_id, amount, reject_count, submission_count, latest_submission_id,
  created_at, deadline, claimed_at, submitted_at, decided_at, expired_from, removed_at, last_reject_reason, title, tags,
  effort_estimate, removed_reason, last_reject_message, requirements, acceptance_criteria, verification, description)
SELECT id, type, status, creator_id, claimer_id, amount, reject_count, submission_count, latest_submission_id,
  created_at, deadline, claimed_at, submitted_at, decided_at, expired_from, removed_at, last_reject_reason, title, tags,
  effort_estimate, removed_reason, last_reject_message, requirements, acceptance_criteria, verification, description
FROM job ORDER BY rowid;
DROP TABLE job;
ALTER TABLE new_job RENAME TO job;
CREATE INDEX job_by_reward ON job (amount, id);
CREATE INDEX job_by_deadline ON job (deadline, id);
CREATE INDEX job_by_status ON job (status, id);
CREATE INDEX job_by_status_reward ON job (status, amount, id);
CREATE INDEX job_by_status_deadline ON job (status, deadline, id);
CREATE INDEX job_by_creator ON job (creator_id, id);
CREATE INDEX job_by_creator_reward ON job (creator_id, amount, id);
CREATE INDEX job_by_creator_deadline ON job (creator_id, deadline, id);
CREATE INDEX job_by_claimer ON job (claimer_id, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_reward ON job (claimer_id, amount, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_deadline ON job (claimer_id, deadline, id)
  WHERE claimer_id IS NOT NULL;
CREATE INDEX job_decided ON job (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX job_by_creation ON job (created_at);
CREATE INDEX job_unfinished ON job (deadline, id)
  WHERE decided_at IS NULL AND expired_from IS NULL;
