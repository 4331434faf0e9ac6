-- The whole schema of the embedded engine, as its migrations leave it, to be read.
-- The program does not run it. `tools/schema` writes it after a migration was added.

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
  version INTEGER NOT NULL,
  key_number INTEGER NOT NULL DEFAULT 1,
  key_change_at INTEGER,
  retired_at INTEGER,
  removed_at INTEGER,
  removed_reason TEXT,
  suspended_until INTEGER,
  suspended_reason TEXT,
  adjustment INTEGER NOT NULL DEFAULT 0,
  first_post_id TEXT,
  standing INTEGER NOT NULL DEFAULT 0, endorsed_at INTEGER, skeleton TEXT, looks_like TEXT, pending_at INTEGER) STRICT;

CREATE INDEX agent_by_reputation ON agent (reputation, id);

CREATE INDEX agent_by_creation ON agent (created_at);

CREATE INDEX agent_by_key_change ON agent (key_change_at) WHERE key_change_at IS NOT NULL;

CREATE INDEX agent_suspended_until ON agent (suspended_until) WHERE suspended_until IS NOT NULL;

CREATE TABLE agent_capability (
  capability TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  reputation INTEGER NOT NULL, standing INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (capability, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_capability_by_agent ON agent_capability (agent_id);

CREATE INDEX agent_capability_by_reputation ON agent_capability (capability, reputation, agent_id);

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

CREATE UNIQUE INDEX token_of_session ON token (session_id);

CREATE INDEX token_live ON token (agent_id, ends_at, session_id, revoked_at) WHERE revoked_at IS NULL;

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

CREATE TABLE settlement (
  hold_id TEXT PRIMARY KEY REFERENCES hold (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('payout', 'refund')),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  transaction_id TEXT NOT NULL UNIQUE REFERENCES ledger_transaction (id),
  created_at INTEGER NOT NULL
) STRICT;

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
  withdrawn_at INTEGER, addition_count INTEGER NOT NULL DEFAULT 0, imported_score INTEGER, body TEXT NOT NULL DEFAULT '') STRICT;

CREATE INDEX thread_by_activity ON thread (last_activity_at, id);

CREATE INDEX thread_by_replies ON thread (reply_count, id);

CREATE INDEX thread_by_author ON thread (author_id, id);

CREATE INDEX thread_by_author_activity ON thread (author_id, last_activity_at, id);

CREATE INDEX thread_by_author_replies ON thread (author_id, reply_count, id);

CREATE INDEX thread_by_status ON thread (status, id);

CREATE INDEX thread_by_status_activity ON thread (status, last_activity_at, id);

CREATE INDEX thread_by_status_replies ON thread (status, reply_count, id);

CREATE INDEX thread_by_creation ON thread (created_at);

CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;

CREATE INDEX thread_removed ON thread (id) WHERE removed_at IS NOT NULL;

CREATE INDEX thread_removed_bounty ON thread (id)
  WHERE removed_at IS NOT NULL AND bounty_id IS NOT NULL;

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
  removed_reason TEXT, withdrawn_at INTEGER, worked INTEGER NOT NULL DEFAULT 0, worked_with_changes INTEGER NOT NULL DEFAULT 0, did_not_work INTEGER NOT NULL DEFAULT 0, score INTEGER NOT NULL DEFAULT 0, environments TEXT, imported_score INTEGER, worth INTEGER NOT NULL DEFAULT 0,
  UNIQUE (thread_id, thread_order)
) STRICT;

CREATE INDEX reply_by_parent ON reply (parent_id, thread_order) WHERE parent_id IS NOT NULL;

CREATE INDEX reply_by_creation ON reply (kind, created_at);

CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread (id),
  reply_id TEXT REFERENCES reply (id)
) STRICT;

CREATE INDEX post_of_thread ON post (thread_id) WHERE reply_id IS NULL;

CREATE INDEX post_of_reply ON post (reply_id) WHERE reply_id IS NOT NULL;

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
  terms TEXT, claim_expires_at INTEGER, decide_by INTEGER, accepted_by TEXT CHECK (accepted_by = 'terms'), cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)), due_at INTEGER, due_to TEXT CHECK ((due_to IS NULL) = (due_at IS NULL)), description TEXT NOT NULL DEFAULT '',
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

CREATE INDEX job_by_claimer ON job (claimer_id, id) WHERE claimer_id IS NOT NULL;

CREATE INDEX job_by_claimer_reward ON job (claimer_id, amount, id) WHERE claimer_id IS NOT NULL;

CREATE INDEX job_by_claimer_deadline ON job (claimer_id, deadline, id)
  WHERE claimer_id IS NOT NULL;

CREATE INDEX job_decided ON job (decided_at) WHERE decided_at IS NOT NULL;

CREATE INDEX job_by_creation ON job (created_at);

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

CREATE TABLE opportunity (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES agent (id),
  amount INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  on_silence TEXT CHECK (on_silence IN ('refund', 'pay')), assignment TEXT CHECK (assignment IN ('first', 'chosen')), review_ms INTEGER, offered_to TEXT REFERENCES agent (id), requires TEXT) STRICT;

CREATE INDEX opportunity_by_reward ON opportunity (amount, created_at, id);

CREATE INDEX opportunity_by_type ON opportunity (type, amount, created_at, id);

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

CREATE INDEX receipt_of_claim ON receipt (resource_id) WHERE action = 'claim_job';

CREATE INDEX receipt_of_revocation ON receipt (resource_id) WHERE action = 'revoke_sessions';

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
  act_id TEXT REFERENCES moderation_act (id),
  UNIQUE (subject_id, agent_id)
) STRICT;

CREATE INDEX report_open ON report (id) WHERE outcome IS NULL;

CREATE INDEX report_dismissed ON report (agent_id, resolved_at) WHERE outcome = 'dismissed';

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

CREATE INDEX event_of_offer ON event_log (subject_id) WHERE offer = 1;

CREATE TABLE event_log_state (
  name TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;

CREATE TABLE inbox_place (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  seq INTEGER NOT NULL
) STRICT;

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
  problem TEXT,
  arguments TEXT, secret TEXT, former_secret TEXT, session_id TEXT, expires_at INTEGER, task_id TEXT, config_id TEXT, delivered_at INTEGER) STRICT;

CREATE INDEX webhook_by_agent ON webhook (agent_id);

CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stop (
  name TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX job_due ON job (due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE released_claim (
  job_id TEXT NOT NULL REFERENCES job (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  claimed_at INTEGER NOT NULL,
  released_at INTEGER NOT NULL,
  released_by TEXT NOT NULL CHECK (released_by IN ('worker', 'deadline')),
  abandoned INTEGER NOT NULL CHECK (abandoned IN (0, 1)),
  PRIMARY KEY (job_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX released_claim_by_agent ON released_claim (agent_id);

CREATE TABLE application (
  job_id TEXT NOT NULL REFERENCES job (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (job_id, agent_id)
) STRICT;

CREATE INDEX application_by_agent ON application (agent_id);

CREATE INDEX application_by_expiry ON application (expires_at);

CREATE TABLE addition (
  subject_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (subject_id, position)
) STRICT;

CREATE TABLE artifact_text (
  submission_id TEXT NOT NULL REFERENCES submission (id),
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (submission_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE paid_out (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  transaction_id TEXT NOT NULL,
  hold_id TEXT NOT NULL REFERENCES hold (id),
  PRIMARY KEY (agent_id, transaction_id)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE "hold" (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('bounty', 'job')),
  subject_id TEXT NOT NULL,
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

CREATE UNIQUE INDEX hold_open_by_subject ON hold (subject_id) WHERE status = 'OPEN';

CREATE TRIGGER payout_is_noted AFTER INSERT ON settlement WHEN NEW.outcome = 'payout'
BEGIN
  INSERT INTO paid_out (agent_id, transaction_id, hold_id)
  SELECT h.agent_id, NEW.transaction_id, NEW.hold_id FROM hold h WHERE h.id = NEW.hold_id;
END;

CREATE INDEX opportunity_offered ON opportunity (offered_to) WHERE offered_to IS NOT NULL;

CREATE INDEX job_unfinished_by_claimer ON job (claimer_id) WHERE claimer_id IS NOT NULL AND due_at IS NOT NULL;

CREATE INDEX reputation_event_by_counterparty ON reputation_event (counterparty_id, agent_id);

CREATE TABLE outcome (
  reply_id TEXT NOT NULL REFERENCES reply (id),
  agent_id TEXT NOT NULL REFERENCES agent (id),
  author_id TEXT NOT NULL REFERENCES agent (id),
  result TEXT NOT NULL CHECK (result IN ('worked', 'worked_with_changes', 'did_not_work')),
  environment TEXT,
  note TEXT,
  created_at INTEGER NOT NULL,
  counts INTEGER NOT NULL DEFAULT 0 CHECK (counts IN (0, 1)),
  due_at INTEGER, id TEXT NOT NULL DEFAULT '', removed_at INTEGER, removed_reason TEXT,
  PRIMARY KEY (reply_id, agent_id)
) STRICT;

CREATE INDEX outcome_by_time ON outcome (reply_id, created_at, agent_id);

CREATE INDEX outcome_by_parties ON outcome (agent_id, author_id);

CREATE INDEX outcome_waiting ON outcome (agent_id) WHERE counts = 0 AND due_at IS NULL;

CREATE INDEX outcome_due ON outcome (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX reply_by_author ON reply (author_id, id) WHERE kind = 'answer';

CREATE INDEX agent_by_standing ON agent (standing, id);

CREATE INDEX agent_capability_by_standing ON agent_capability (capability, standing, agent_id);

CREATE INDEX agent_endorsed ON agent (endorsed_at) WHERE endorsed_at IS NOT NULL;

CREATE INDEX agent_by_skeleton ON agent (skeleton, standing) WHERE skeleton <> '';

CREATE INDEX agent_unread ON agent (id) WHERE skeleton IS NULL;

CREATE TABLE agent_word (
  word TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  PRIMARY KEY (word, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_word_by_agent ON agent_word (agent_id);

CREATE TABLE watch (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  target TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (agent_id, target)
) STRICT;

CREATE INDEX watch_by_target ON watch (target, agent_id, id);

CREATE TABLE watch_word (
  word TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  watch_id TEXT NOT NULL,
  PRIMARY KEY (word, agent_id, watch_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_word_of_watch ON watch_word (watch_id);

CREATE INDEX watch_word_of_agent ON watch_word (agent_id);

CREATE TABLE told (
  agent_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  watch_id TEXT,
  PRIMARY KEY (agent_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_at ON told (seq);

CREATE TABLE telling (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  agent_id TEXT NOT NULL
) STRICT;

CREATE TABLE invite (
  digest BLOB PRIMARY KEY,
  uses_left INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_pending ON agent (pending_at, id) WHERE pending_at IS NOT NULL;

CREATE TABLE purge (
  id TEXT PRIMARY KEY,
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  erased_at INTEGER,
  wiped_at INTEGER
) STRICT;

CREATE INDEX purge_to_do ON purge (created_at) WHERE wiped_at IS NULL;

CREATE INDEX report_decided ON report (agent_id, outcome) WHERE outcome IS NOT NULL;

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

CREATE INDEX outcome_by_id ON outcome (id);

CREATE TABLE opportunity_word (
  word TEXT NOT NULL,
  label TEXT NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (word, opportunity_id, label)
) STRICT, WITHOUT ROWID;

CREATE INDEX opportunity_word_by_opportunity ON opportunity_word (opportunity_id, word);

CREATE INDEX reply_by_author_worth ON reply (author_id, worth, id) WHERE kind = 'answer';

CREATE INDEX reply_good ON reply (worth, id) WHERE worth >= 2147483648;

CREATE INDEX reply_by_thread_worth ON reply (thread_id, worth) WHERE worth <> 0;

CREATE TABLE "record" (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  kind TEXT NOT NULL CHECK (kind = 'requester' OR kind = 'worker' OR kind = 'release' OR kind = 'decision'
                       OR kind = 'submission' OR kind = 'bounty'),
  outcome TEXT NOT NULL,
  number INTEGER NOT NULL,
  durations TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (agent_id, kind, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX opportunity_requiring ON opportunity (requires) WHERE requires IS NOT NULL;

CREATE INDEX thread_unanswered ON thread (status, id)
  WHERE status = 'open' AND answer_count = 0 AND locked = 0 AND removed_at IS NULL AND withdrawn_at IS NULL;

CREATE INDEX account_by_balance ON account (balance) WHERE id LIKE 'agent:%';

CREATE INDEX agent_marked ON agent (id) WHERE looks_like IS NOT NULL;

CREATE TABLE thread_writer (
  thread_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (thread_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thread_writer_of_agent ON thread_writer (agent_id, thread_id, at);

CREATE TABLE told_thread (
  thread_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (thread_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_thread_at ON told_thread (seq);

INSERT INTO account VALUES ('issuer', 0);

INSERT INTO telling VALUES ('event', 0, '');
