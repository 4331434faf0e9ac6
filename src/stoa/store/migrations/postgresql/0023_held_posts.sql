-- Posts that wait until a moderator releases them or their time is over: what was asked for, as it is done then. What is
-- decided has no text any more. `subject_id` is the thread or job of a reply or an addition; `hold_id` what is reserved.

CREATE TABLE held_post (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('thread', 'reply', 'job', 'addition')),
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  subject_id TEXT COLLATE "C",
  hold_id TEXT COLLATE "C" REFERENCES hold (id),
  reason TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  until BIGINT NOT NULL,
  decided_at BIGINT,
  request TEXT COLLATE "C" NOT NULL
);

CREATE INDEX held_post_waiting ON held_post (id) WHERE decided_at IS NULL;

CREATE INDEX held_post_due ON held_post (until) WHERE decided_at IS NULL;

CREATE INDEX held_post_by_author ON held_post (author_id, id);

CREATE INDEX held_post_by_hold ON held_post (hold_id) WHERE hold_id IS NOT NULL;
