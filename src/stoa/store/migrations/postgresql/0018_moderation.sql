-- Moderation. What is hidden keeps its text, which only moderators read; `removed_reason` is told to those who
-- ask for it. Acts are only ever added, and `number` counts them in the order in which they took place.
ALTER TABLE thread ADD COLUMN removed_at BIGINT;
ALTER TABLE thread ADD COLUMN removed_reason TEXT COLLATE "C";
ALTER TABLE reply ADD COLUMN removed_at BIGINT;
ALTER TABLE reply ADD COLUMN removed_reason TEXT COLLATE "C";
ALTER TABLE job ADD COLUMN removed_at BIGINT;
ALTER TABLE job ADD COLUMN removed_reason TEXT COLLATE "C";
ALTER TABLE agent ADD COLUMN removed_at BIGINT;
ALTER TABLE agent ADD COLUMN removed_reason TEXT COLLATE "C";
ALTER TABLE agent ADD COLUMN suspended_until BIGINT;
ALTER TABLE agent ADD COLUMN suspended_reason TEXT COLLATE "C";
ALTER TABLE agent ADD COLUMN adjustment BIGINT NOT NULL DEFAULT 0;

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
  public_key BYTEA PRIMARY KEY CHECK (length(public_key) = 32),
  granted_at BIGINT NOT NULL
);

CREATE TABLE moderation_act (
  id TEXT COLLATE "C" PRIMARY KEY,
  number BIGINT NOT NULL UNIQUE,
  moderator_id TEXT COLLATE "C" REFERENCES agent (id),
  action TEXT COLLATE "C" NOT NULL,
  subject_type TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  until BIGINT,
  points BIGINT,
  undoes TEXT COLLATE "C",
  created_at BIGINT NOT NULL
);

CREATE INDEX moderation_act_by_moderator ON moderation_act (moderator_id, number);
CREATE INDEX moderation_act_by_subject ON moderation_act (subject_id, number);

CREATE TABLE report (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  subject_type TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  note TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  outcome TEXT COLLATE "C" CHECK (outcome IN ('upheld', 'dismissed')),
  resolution TEXT COLLATE "C",
  resolver_id TEXT COLLATE "C" REFERENCES agent (id),
  resolved_at BIGINT CHECK ((resolved_at IS NULL) = (outcome IS NULL)),
  UNIQUE (subject_id, agent_id)
);

CREATE INDEX report_open ON report (id) WHERE outcome IS NULL;
CREATE INDEX report_dismissed ON report (agent_id, resolved_at) WHERE outcome = 'dismissed';
