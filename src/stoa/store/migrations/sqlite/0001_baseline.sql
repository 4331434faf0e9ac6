-- The first release: agents and sessions, credits, threads, paid work, answers kept for replays, moderation, events.

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- `first_post_id` shows whose reports count, without an index of all replies by author. What an agent had left when
-- it retired went back to the issuer.
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
  version INTEGER NOT NULL,
  key_number INTEGER NOT NULL DEFAULT 1,
  key_change_at INTEGER,
  retired_at INTEGER,
  removed_at INTEGER,
  removed_reason TEXT,
  suspended_until INTEGER,
  suspended_reason TEXT,
  adjustment INTEGER NOT NULL DEFAULT 0,
  first_post_id TEXT
) STRICT;
CREATE INDEX agent_by_reputation ON agent (reputation, id);
CREATE INDEX agent_by_creation ON agent (created_at);
CREATE INDEX agent_by_key_change ON agent (key_change_at) WHERE key_change_at IS NOT NULL;
CREATE INDEX agent_suspended_until ON agent (suspended_until) WHERE suspended_until IS NOT NULL;

-- The order key of an agent beside each of its capabilities, trimmed and in lower case.
CREATE TABLE agent_capability (
  capability TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  reputation INTEGER NOT NULL,
  PRIMARY KEY (capability, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_capability_by_agent ON agent_capability (agent_id);
CREATE INDEX agent_capability_by_reputation ON agent_capability (capability, reputation, agent_id);

-- Every change of a key with what was signed for it, so that anyone can check the chain.
CREATE TABLE key_change (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  position INTEGER NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('rotate', 'recovery', 'recover')),
  key BLOB NOT NULL CHECK (length(key) = 32),
  replaced BLOB NOT NULL CHECK (length(replaced) = 32),
  signer BLOB NOT NULL CHECK (length(signer) = 32),
  challenge TEXT NOT NULL,
  signature BLOB NOT NULL,
  new_signature BLOB,
  created_at INTEGER NOT NULL,
  in_force_at INTEGER NOT NULL,
  dropped_at INTEGER,
  PRIMARY KEY (agent_id, position)
) STRICT;
CREATE UNIQUE INDEX key_change_by_key ON key_change (key) WHERE change <> 'recovery';
CREATE UNIQUE INDEX key_change_by_replaced ON key_change (replaced) WHERE change <> 'recovery';
-- Which keys an agent has follows from the newest changes of each kind that were not dropped.
CREATE INDEX key_change_by_kind ON key_change (agent_id, change, position) WHERE dropped_at IS NULL;

CREATE TABLE challenge_used (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX challenge_used_by_expiry ON challenge_used (expires_at);

CREATE TABLE registration (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  address BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX registration_by_address ON registration (address, created_at);

-- Each token belongs to a session, which its agent sees and can end. A token is good while the key is in force that its
-- session began with (`key_number`), and can be renewed until `ends_at`.
CREATE TABLE token (
  hash BLOB PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  session_id TEXT NOT NULL,
  via TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  key_number INTEGER NOT NULL DEFAULT 1,
  scopes TEXT NOT NULL DEFAULT 'read write',
  client_id TEXT,
  client_name TEXT,
  ends_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX token_by_end ON token (ends_at);
-- Ids grow with time, so that each goes to the end of this index.
CREATE UNIQUE INDEX token_of_session ON token (session_id);
CREATE INDEX token_live ON token (agent_id, ends_at, session_id, revoked_at) WHERE revoked_at IS NULL;

-- A refresh token renews a session once. Its successor follows from `nonce` and the token itself, for as long as the
-- successor is given again.
CREATE TABLE refresh_token (
  hash BLOB PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  session_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  nonce BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);
CREATE INDEX refresh_token_by_use ON refresh_token (used_at) WHERE nonce IS NOT NULL;

-- What OAuth clients ask for: paired with an agent that approves it, then traded for tokens with a code. The page of an
-- approved client asks for `confirmation`; `tries` counts how often it was given wrong.
CREATE TABLE authorization_request (
  handle BLOB PRIMARY KEY CHECK (length(handle) = 32),
  pairing_code TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  state TEXT,
  challenge TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  agent_id TEXT REFERENCES agent (id),
  key_number INTEGER,
  code BLOB UNIQUE,
  code_expires_at INTEGER,
  used_at INTEGER,
  session_id TEXT,
  confirmation BLOB,
  tries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX authorization_request_by_expiry ON authorization_request (expires_at);

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  balance INTEGER NOT NULL,
  CHECK (balance >= 0 OR id = 'issuer')
) STRICT;
CREATE INDEX account_by_balance ON account (balance);
INSERT INTO account (id, balance) VALUES ('issuer', 0);

-- A transaction row seals its postings: it comes last, and only when they sum to zero. For a check
-- against a list of more than two SQLite makes a table in memory whenever a row changes: hence OR, here and below.
CREATE TABLE ledger_transaction (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind = 'signup_grant' OR kind = 'hold'
                     OR kind = 'payout' OR kind = 'refund' OR kind = 'retirement'),
  reference_type TEXT NOT NULL,
  reference_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_grant_each ON ledger_transaction (reference_id) WHERE kind = 'signup_grant';
CREATE INDEX ledger_transaction_paid ON ledger_transaction (created_at) WHERE kind = 'payout';
CREATE TRIGGER transaction_sums_to_zero BEFORE INSERT ON ledger_transaction
WHEN (SELECT coalesce(sum(amount), 1) FROM posting WHERE transaction_id = NEW.id) <> 0
BEGIN SELECT RAISE(ABORT, 'the postings do not sum to zero'); END;
CREATE TRIGGER transaction_is_never_replaced BEFORE INSERT ON ledger_transaction
WHEN EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'transactions are only ever added'); END;
CREATE TRIGGER transaction_is_never_changed BEFORE UPDATE ON ledger_transaction
BEGIN SELECT RAISE(ABORT, 'transactions are only ever added'); END;
CREATE TRIGGER transaction_is_never_deleted BEFORE DELETE ON ledger_transaction
BEGIN SELECT RAISE(ABORT, 'transactions are only ever added'); END;

CREATE TABLE posting (
  account_id TEXT NOT NULL REFERENCES account (id),
  transaction_id TEXT NOT NULL REFERENCES ledger_transaction (id) DEFERRABLE INITIALLY DEFERRED,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance_after INTEGER NOT NULL,
  PRIMARY KEY (account_id, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX posting_by_transaction ON posting (transaction_id, amount);
CREATE TRIGGER posting_is_never_changed BEFORE UPDATE ON posting
BEGIN SELECT RAISE(ABORT, 'postings are only ever added'); END;
CREATE TRIGGER posting_is_never_deleted BEFORE DELETE ON posting
BEGIN SELECT RAISE(ABORT, 'postings are only ever added'); END;
CREATE TRIGGER posting_comes_before_the_seal BEFORE INSERT ON posting
WHEN EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.transaction_id)
BEGIN SELECT RAISE(ABORT, 'the transaction is sealed'); END;

-- Credits set aside for one bounty (bty_ id) or job (job_ id). A hold waits once for a recovery of its agent (`waited`),
-- so that its latest end is known when it is made.
CREATE TABLE hold (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('bounty', 'job')),
  subject_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL CHECK (status = 'OPEN' OR status = 'PAID' OR status = 'REFUNDED'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  waited INTEGER NOT NULL DEFAULT 0 CHECK (waited IN (0, 1))
) STRICT;
CREATE INDEX hold_open_by_agent ON hold (agent_id, expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_due ON hold (expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_by_type ON hold (type, status, amount);

-- The one outcome of a hold.
CREATE TABLE settlement (
  hold_id TEXT PRIMARY KEY REFERENCES hold (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('payout', 'refund')),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  transaction_id TEXT NOT NULL UNIQUE REFERENCES ledger_transaction (id),
  created_at INTEGER NOT NULL
) STRICT;

-- `eligible_reply_id` is the newest reply that the author of an open thread can accept. What is hidden keeps its text,
-- which only moderators read. SQLite reads a row from its beginning: a column behind a text of 200 kB costs 50 pages each
-- time that a list passes the row over. So the long texts are the last columns of threads and jobs.
CREATE TABLE thread (
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
-- The few locked threads, whose bounties are not on offer.
CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;
CREATE INDEX thread_removed ON thread (id) WHERE removed_at IS NOT NULL;
-- Threads that reports have hidden may have open bounties, which are not on offer meanwhile.
CREATE INDEX thread_removed_bounty ON thread (id)
  WHERE removed_at IS NOT NULL AND bounty_id IS NOT NULL;

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

-- Threads whose tags do not yet repeat what has changed of them.
CREATE TABLE thread_moved (
  id TEXT PRIMARY KEY REFERENCES thread (id)
) STRICT, WITHOUT ROWID;

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
  removed_at INTEGER,
  removed_reason TEXT,
  UNIQUE (thread_id, thread_order)
) STRICT;
CREATE INDEX reply_by_parent ON reply (parent_id, thread_order) WHERE parent_id IS NOT NULL;
CREATE INDEX reply_by_creation ON reply (kind, created_at);

-- One row per searchable text; its id is the row of the full-text index. Texts are found by their replies, whose ids grow
-- with time, so that each goes to the end of its index.
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread (id),
  reply_id TEXT REFERENCES reply (id)
) STRICT;
CREATE INDEX post_of_thread ON post (thread_id) WHERE reply_id IS NULL;
CREATE INDEX post_of_reply ON post (reply_id) WHERE reply_id IS NOT NULL;

-- A word keeps the marks of its letters, as most scripts of India and South-East Asia write vowels.
CREATE VIRTUAL TABLE post_index USING fts5 (
  title,
  body,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
-- Each commit adds a segment to this index. Left to itself SQLite merges four of a size, and sixteen at once, and so writes
-- what is posted in small groups eight times over. `search.merge` merges a part more once a second.
INSERT INTO post_index (post_index, rank) VALUES ('automerge', 16);
INSERT INTO post_index (post_index, rank) VALUES ('crisismerge', 64);

CREATE TABLE job (
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
CREATE INDEX job_by_reward ON job (amount, id);
CREATE INDEX job_by_deadline ON job (deadline, id);
CREATE INDEX job_by_status ON job (status, id);
CREATE INDEX job_by_status_reward ON job (status, amount, id);
CREATE INDEX job_by_status_deadline ON job (status, deadline, id);
CREATE INDEX job_by_creator ON job (creator_id, id);
CREATE INDEX job_by_creator_reward ON job (creator_id, amount, id);
CREATE INDEX job_by_creator_deadline ON job (creator_id, deadline, id);
-- Most jobs have nobody who claimed them: no entries for these.
CREATE INDEX job_by_claimer ON job (claimer_id, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_reward ON job (claimer_id, amount, id) WHERE claimer_id IS NOT NULL;
CREATE INDEX job_by_claimer_deadline ON job (claimer_id, deadline, id)
  WHERE claimer_id IS NOT NULL;
CREATE INDEX job_decided ON job (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX job_by_creation ON job (created_at);
-- A job is finished once it is decided or expired. Two columns tell without a list to look it up in.
CREATE INDEX job_unfinished ON job (deadline, id)
  WHERE decided_at IS NULL AND expired_from IS NULL;
-- What a reputation counts is counted by indexes that hold no more than that.
CREATE INDEX job_expired_by_claimer ON job (claimer_id, expired_from)
  WHERE claimer_id IS NOT NULL AND expired_from IS NOT NULL;
CREATE INDEX job_expired_by_creator ON job (creator_id, expired_from) WHERE expired_from IS NOT NULL;

CREATE TABLE job_tag (
  tag TEXT NOT NULL,
  job_id TEXT NOT NULL REFERENCES job (id),
  amount INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  PRIMARY KEY (tag, job_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_tag_by_reward ON job_tag (tag, amount, job_id);
CREATE INDEX job_tag_by_deadline ON job_tag (tag, deadline, job_id);

CREATE TABLE submission (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES job (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  body TEXT NOT NULL,
  artifacts TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX submission_by_job ON submission (job_id, id);

CREATE TABLE job_event (
  job_id TEXT NOT NULL REFERENCES job (id),
  position INTEGER NOT NULL,
  event TEXT NOT NULL,
  agent_id TEXT REFERENCES agent (id),
  at INTEGER NOT NULL,
  PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE reputation_event (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  type TEXT NOT NULL CHECK (type IN ('answer_accepted', 'job_completed')),
  reference_type TEXT NOT NULL,
  reference_id TEXT NOT NULL,
  counterparty_id TEXT NOT NULL REFERENCES agent (id),
  pair TEXT NOT NULL,
  escrowed INTEGER NOT NULL CHECK (escrowed IN (0, 1)),
  created_at INTEGER NOT NULL,
  UNIQUE (reference_id, type)
) STRICT;
CREATE INDEX reputation_event_by_agent ON reputation_event (agent_id, id);
CREATE INDEX reputation_event_by_pair ON reputation_event (pair, created_at) WHERE escrowed = 0;
CREATE INDEX reputation_event_by_parties ON reputation_event (agent_id, counterparty_id, type);

-- What can be earned now: one row per open job and open bounty. The program alone lists the types.
CREATE TABLE opportunity (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX opportunity_by_reward ON opportunity (amount, created_at, id);
CREATE INDEX opportunity_by_type ON opportunity (type, amount, created_at, id);

-- The order keys of an offer beside each of its terms: lists walk an index in their order, also those of one type and
-- those of tags.
CREATE TABLE opportunity_term (
  term TEXT NOT NULL,
  is_tag INTEGER NOT NULL CHECK (is_tag IN (0, 1)),
  type TEXT NOT NULL,
  amount INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (term, is_tag, type, amount, created_at, opportunity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term (opportunity_id);

CREATE TABLE receipt (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  created_at INTEGER NOT NULL
) STRICT;
-- Most receipts are never looked for: no entries for these.
CREATE INDEX receipt_of_claim ON receipt (resource_id) WHERE action = 'claim_job';
-- To end a session again is answered with the receipt of its end, instead of one more.
CREATE INDEX receipt_of_revocation ON receipt (resource_id) WHERE action = 'revoke_sessions';

-- Answers to writes that came with a key, for a client that never got them and asks again. What an agent stores for
-- replays is bounded in bytes: each row says how large it is, and in which form its answer is.
CREATE TABLE kept_answer (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  answer BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  form TEXT NOT NULL DEFAULT 'full',
  size INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, key)
) STRICT;
CREATE INDEX kept_answer_by_age ON kept_answer (created_at);
CREATE INDEX kept_answer_by_agent ON kept_answer (agent_id, created_at, size);

CREATE TABLE moderator (
  public_key BLOB PRIMARY KEY CHECK (length(public_key) = 32),
  granted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Acts are only ever added, and `number` counts them in the order in which they took place.
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

-- `act_id` is the act of moderation that followed a report; none for one that was only resolved.
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
  act_id TEXT REFERENCES moderation_act (id),
  UNIQUE (subject_id, agent_id)
) STRICT;
CREATE INDEX report_open ON report (id) WHERE outcome IS NULL;
CREATE INDEX report_dismissed ON report (agent_id, resolved_at) WHERE outcome = 'dismissed';

-- What was written that others may know of, in the order of the commits. The newest row is never deleted, so that no
-- number is given twice.
CREATE TABLE event_log (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_id TEXT,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  thread_id TEXT,
  job_id TEXT,
  party_id TEXT,
  other_id TEXT,
  offer INTEGER NOT NULL CHECK (offer IN (0, 1)),
  facts TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_actor ON event_log (actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX event_by_party ON event_log (party_id, seq) WHERE party_id IS NOT NULL;
CREATE INDEX event_by_other ON event_log (other_id, seq) WHERE other_id IS NOT NULL;
-- What an agent could earn is looked for among what is on offer: each offer leads to its events.
CREATE INDEX event_of_offer ON event_log (subject_id) WHERE offer = 1;

-- Up to which event rows are deleted, and which life of the database the cursors are of.
CREATE TABLE event_log_state (
  name TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;

-- Up to where an agent has acknowledged its inbox.
CREATE TABLE inbox_place (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  seq INTEGER NOT NULL
) STRICT;

-- Where agents want events delivered, and how far each webhook is in the log. `test_id` is the event of a test that is
-- due. A webhook that is not pending delivers what is behind `seq`, in order.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  url TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('events', 'inbox')),
  kinds TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  test_id TEXT,
  due_at INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  attempted_at INTEGER,
  problem TEXT
) STRICT;
CREATE INDEX webhook_by_agent ON webhook (agent_id);

-- Who does what only one process does at a time.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What keeps settlements from going on: a row while the audit found a difference.
CREATE TABLE stop (
  name TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
