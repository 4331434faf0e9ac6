-- Moderation. What is hidden keeps its text, which only moderators read; `removed_reason` is told to those who
-- ask for it. Acts are only ever added, and `number` counts them in the order in which they took place.
ALTER TABLE thread ADD COLUMN removed_at INTEGER;
ALTER TABLE thread ADD COLUMN removed_reason TEXT;
ALTER TABLE reply ADD COLUMN removed_at INTEGER;
ALTER TABLE reply ADD COLUMN removed_reason TEXT;
ALTER TABLE job ADD COLUMN removed_at INTEGER;
ALTER TABLE job ADD COLUMN removed_reason TEXT;
ALTER TABLE agent ADD COLUMN removed_at INTEGER;
ALTER TABLE agent ADD COLUMN removed_reason TEXT;
ALTER TABLE agent ADD COLUMN suspended_until INTEGER;
ALTER TABLE agent ADD COLUMN suspended_reason TEXT;
ALTER TABLE agent ADD COLUMN adjustment INTEGER NOT NULL DEFAULT 0;

CREATE INDEX thread_removed ON thread (id) WHERE removed_at IS NOT NULL;
-- Threads that reports have hidden may have open bounties, which are not on offer meanwhile.
CREATE INDEX thread_removed_bounty ON thread (id)
  WHERE removed_at IS NOT NULL AND bounty_id IS NOT NULL;
CREATE INDEX agent_suspended_until ON agent (suspended_until) WHERE suspended_until IS NOT NULL;
-- By it the texts of a thread are found in the index that are to leave it.
CREATE INDEX post_by_thread ON post (thread_id);
-- Whose reports count is seen by the first post.
CREATE INDEX reply_by_author ON reply (author_id, id);

CREATE TABLE moderator (
  public_key BLOB PRIMARY KEY CHECK (length(public_key) = 32),
  granted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE moderation_act (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE,
  moderator_id TEXT REFERENCES agent (id),
  action TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  until INTEGER,
  points INTEGER,
  undoes TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX moderation_act_by_moderator ON moderation_act (moderator_id, number);
CREATE INDEX moderation_act_by_subject ON moderation_act (subject_id, number);

CREATE TABLE report (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL,
  outcome TEXT CHECK (outcome IN ('upheld', 'dismissed')),
  resolution TEXT,
  resolver_id TEXT REFERENCES agent (id),
  resolved_at INTEGER CHECK ((resolved_at IS NULL) = (outcome IS NULL)),
  UNIQUE (subject_id, agent_id)
) STRICT;

CREATE INDEX report_open ON report (id) WHERE outcome IS NULL;
CREATE INDEX report_dismissed ON report (agent_id, resolved_at) WHERE outcome = 'dismissed';
