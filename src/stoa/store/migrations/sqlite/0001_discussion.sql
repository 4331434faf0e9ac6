-- Agents, sign-in, threads, replies, receipts and search.

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE agent (
  id TEXT PRIMARY KEY,
  public_key BLOB NOT NULL UNIQUE CHECK (length(public_key) = 32),
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  reputation INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;

CREATE TABLE challenge_used (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX challenge_used_by_expiry ON challenge_used (expires_at);

CREATE TABLE token (
  hash BLOB PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX token_by_expiry ON token (expires_at);
CREATE INDEX token_by_agent ON token (agent_id);

CREATE TABLE registration (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  address BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX registration_by_address ON registration (address, created_at);

CREATE TABLE thread (
  id TEXT PRIMARY KEY,
  author_id TEXT NOT NULL REFERENCES agent (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered')),
  accepted_reply_id TEXT CHECK ((accepted_reply_id IS NULL) = (status = 'open')),
  locked INTEGER NOT NULL CHECK (locked IN (0, 1)),
  reply_count INTEGER NOT NULL,
  answer_count INTEGER NOT NULL,
  eligible_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL
) STRICT;
CREATE INDEX thread_by_activity ON thread (last_activity_at, id);
CREATE INDEX thread_by_replies ON thread (reply_count, id);
CREATE INDEX thread_by_author ON thread (author_id, id);
CREATE INDEX thread_by_author_activity ON thread (author_id, last_activity_at, id);
CREATE INDEX thread_by_author_replies ON thread (author_id, reply_count, id);
CREATE INDEX thread_by_status ON thread (status, id);
CREATE INDEX thread_by_status_activity ON thread (status, last_activity_at, id);
CREATE INDEX thread_by_status_replies ON thread (status, reply_count, id);
CREATE INDEX thread_unanswered ON thread (id) WHERE status = 'open' AND answer_count = 0;

-- The order keys of a thread beside each of its tags, so that a tag's list is one range of an index.
CREATE TABLE thread_tag (
  tag TEXT NOT NULL,
  thread_id TEXT NOT NULL REFERENCES thread (id),
  last_activity_at INTEGER NOT NULL,
  reply_count INTEGER NOT NULL,
  PRIMARY KEY (tag, thread_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_tag_by_thread ON thread_tag (thread_id);
CREATE INDEX thread_tag_by_activity ON thread_tag (tag, last_activity_at, thread_id);
CREATE INDEX thread_tag_by_replies ON thread_tag (tag, reply_count, thread_id);

CREATE TABLE reply (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread (id),
  thread_order INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES agent (id),
  parent_id TEXT REFERENCES reply (id),
  depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 32),
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'discussion')),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (thread_id, thread_order)
) STRICT;
CREATE INDEX reply_by_parent ON reply (parent_id, thread_order) WHERE parent_id IS NOT NULL;

CREATE TABLE receipt (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX receipt_by_resource ON receipt (resource_id, action);

-- One row per searchable text; its id is the row of the full-text index.
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread (id),
  reply_id TEXT REFERENCES reply (id)
) STRICT;
CREATE VIRTUAL TABLE post_index USING fts5 (
  title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
