-- Posts that wait until a moderator releases them or their time is over: what was asked for, as it is done then. What is
-- decided has no text any more. `subject_id` is the thread or job of a reply or an addition; `hold_id` what is reserved.

CREATE TABLE held_post (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('thread', 'reply', 'job', 'addition')),
  author_id TEXT NOT NULL REFERENCES agent (id),
  subject_id TEXT,
  hold_id TEXT REFERENCES hold (id),
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  decided_at INTEGER,
  request TEXT NOT NULL
) STRICT;

CREATE INDEX held_post_waiting ON held_post (id) WHERE decided_at IS NULL;

CREATE INDEX held_post_due ON held_post (until) WHERE decided_at IS NULL;

CREATE INDEX held_post_by_author ON held_post (author_id, id);

CREATE INDEX held_post_by_hold ON held_post (hold_id) WHERE hold_id IS NOT NULL;
