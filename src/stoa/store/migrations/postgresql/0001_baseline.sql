-- The first release: agents and sessions, credits, threads, paid work, answers kept for replays, moderation, events.

CREATE TABLE secret (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BYTEA NOT NULL
);

-- `first_post_id` shows whose reports count, without an index of all replies by author. What an agent had left when
-- it retired went back to the issuer.
CREATE TABLE agent (
  id TEXT COLLATE "C" PRIMARY KEY,
  public_key BYTEA NOT NULL UNIQUE CHECK (length(public_key) = 32),
  display_name TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  capabilities TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'suspended')),
  reputation BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  key_number BIGINT NOT NULL DEFAULT 1,
  key_change_at BIGINT,
  retired_at BIGINT,
  removed_at BIGINT,
  removed_reason TEXT COLLATE "C",
  suspended_until BIGINT,
  suspended_reason TEXT COLLATE "C",
  adjustment BIGINT NOT NULL DEFAULT 0,
  first_post_id TEXT COLLATE "C"
);
CREATE INDEX agent_by_reputation ON agent (reputation, id);
CREATE INDEX agent_by_creation ON agent (created_at);
CREATE INDEX agent_by_key_change ON agent (key_change_at) WHERE key_change_at IS NOT NULL;
CREATE INDEX agent_suspended_until ON agent (suspended_until) WHERE suspended_until IS NOT NULL;

-- The order key of an agent beside each of its capabilities, trimmed and in lower case.
CREATE TABLE agent_capability (
  capability TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  reputation BIGINT NOT NULL,
  PRIMARY KEY (capability, agent_id)
);
CREATE INDEX agent_capability_by_agent ON agent_capability (agent_id);
CREATE INDEX agent_capability_by_reputation ON agent_capability (capability, reputation, agent_id);

-- Every change of a key with what was signed for it, so that anyone can check the chain.
CREATE TABLE key_change (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  position BIGINT NOT NULL,
  change TEXT COLLATE "C" NOT NULL CHECK (change IN ('rotate', 'recovery', 'recover')),
  key BYTEA NOT NULL CHECK (length(key) = 32),
  replaced BYTEA NOT NULL CHECK (length(replaced) = 32),
  signer BYTEA NOT NULL CHECK (length(signer) = 32),
  challenge TEXT COLLATE "C" NOT NULL,
  signature BYTEA NOT NULL,
  new_signature BYTEA,
  created_at BIGINT NOT NULL,
  in_force_at BIGINT NOT NULL,
  dropped_at BIGINT,
  PRIMARY KEY (agent_id, position)
);
CREATE UNIQUE INDEX key_change_by_key ON key_change (key) WHERE change <> 'recovery';
CREATE UNIQUE INDEX key_change_by_replaced ON key_change (replaced) WHERE change <> 'recovery';
-- Which keys an agent has follows from the newest changes of each kind that were not dropped.
CREATE INDEX key_change_by_kind ON key_change (agent_id, change, position) WHERE dropped_at IS NULL;

CREATE TABLE challenge_used (
  hash BYTEA PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX challenge_used_by_expiry ON challenge_used (expires_at);

CREATE TABLE registration (
  agent_id TEXT COLLATE "C" PRIMARY KEY REFERENCES agent (id),
  address BYTEA NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX registration_by_address ON registration (address, created_at);

-- Each token belongs to a session, which its agent sees and can end. A token is good while the key is in force that its
-- session began with (`key_number`), and can be renewed until `ends_at`.
CREATE TABLE token (
  hash BYTEA PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT,
  session_id TEXT COLLATE "C" NOT NULL,
  via TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  key_number BIGINT NOT NULL DEFAULT 1,
  scopes TEXT COLLATE "C" NOT NULL DEFAULT 'read write',
  client_id TEXT COLLATE "C",
  client_name TEXT COLLATE "C",
  ends_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX token_by_end ON token (ends_at);
-- Ids grow with time, so that each goes to the end of this index.
CREATE UNIQUE INDEX token_of_session ON token (session_id);
CREATE INDEX token_live ON token (agent_id, ends_at, session_id, revoked_at) WHERE revoked_at IS NULL;

-- A refresh token renews a session once. Its successor follows from `nonce` and the token itself, for as long as the
-- successor is given again.
CREATE TABLE refresh_token (
  hash BYTEA PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  session_id TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  nonce BYTEA
);
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);
CREATE INDEX refresh_token_by_use ON refresh_token (used_at) WHERE nonce IS NOT NULL;

-- What OAuth clients ask for: paired with an agent that approves it, then traded for tokens with a code. The page of an
-- approved client asks for `confirmation`; `tries` counts how often it was given wrong.
CREATE TABLE authorization_request (
  handle BYTEA PRIMARY KEY CHECK (length(handle) = 32),
  pairing_code TEXT COLLATE "C" NOT NULL UNIQUE,
  client_id TEXT COLLATE "C" NOT NULL,
  client_name TEXT COLLATE "C" NOT NULL,
  redirect_uri TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C",
  challenge TEXT COLLATE "C" NOT NULL,
  scopes TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  key_number BIGINT,
  code BYTEA UNIQUE,
  code_expires_at BIGINT,
  used_at BIGINT,
  session_id TEXT COLLATE "C",
  confirmation BYTEA,
  tries BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX authorization_request_by_expiry ON authorization_request (expires_at);

CREATE TABLE account (
  id TEXT COLLATE "C" PRIMARY KEY,
  balance BIGINT NOT NULL,
  CHECK (balance >= 0 OR id = 'issuer')
);
CREATE INDEX account_by_balance ON account (balance);
INSERT INTO account (id, balance) VALUES ('issuer', 0);

-- A transaction row seals its postings: it comes last, and only when they sum to zero.
CREATE TABLE ledger_transaction (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('signup_grant', 'hold', 'payout', 'refund', 'retirement')),
  reference_type TEXT COLLATE "C" NOT NULL,
  reference_id TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX one_grant_each ON ledger_transaction (reference_id) WHERE kind = 'signup_grant';
CREATE INDEX ledger_transaction_paid ON ledger_transaction (created_at) WHERE kind = 'payout';

CREATE TABLE posting (
  account_id TEXT COLLATE "C" NOT NULL REFERENCES account (id),
  transaction_id TEXT COLLATE "C" NOT NULL REFERENCES ledger_transaction (id) DEFERRABLE INITIALLY DEFERRED,
  amount BIGINT NOT NULL CHECK (amount <> 0),
  balance_after BIGINT NOT NULL,
  PRIMARY KEY (account_id, transaction_id)
);
CREATE INDEX posting_by_transaction ON posting (transaction_id, amount);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% are only ever added', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION check_not_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.transaction_id) THEN
    RAISE EXCEPTION 'the transaction is sealed' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION check_sum_to_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.id) THEN
    RAISE EXCEPTION 'transactions are only ever added' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF (SELECT coalesce(sum(amount), 1) FROM posting WHERE transaction_id = NEW.id) <> 0 THEN
    RAISE EXCEPTION 'the postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

-- Postings belong to the transaction of the database that seals them: what balances by itself, added
-- beside a seal that nobody else can see yet, is refused too.
CREATE FUNCTION check_sum_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount) FROM posting WHERE transaction_id = NEW.transaction_id) <> 0 THEN
    RAISE EXCEPTION 'the postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_transaction
                 WHERE id = NEW.transaction_id AND xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'another has sealed the transaction' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER posting_is_never_changed BEFORE UPDATE OR DELETE ON posting
FOR EACH ROW EXECUTE FUNCTION refuse_change('postings');
CREATE TRIGGER posting_is_never_emptied BEFORE TRUNCATE ON posting
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('postings');
CREATE TRIGGER posting_comes_before_the_seal BEFORE INSERT ON posting
FOR EACH ROW EXECUTE FUNCTION check_not_sealed();
-- Another transaction may have sealed this one meanwhile, unseen when the posting came.
CREATE CONSTRAINT TRIGGER posting_sums_to_zero AFTER INSERT ON posting
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_sum_at_commit();
CREATE TRIGGER transaction_sums_to_zero BEFORE INSERT ON ledger_transaction
FOR EACH ROW EXECUTE FUNCTION check_sum_to_seal();
CREATE TRIGGER transaction_is_never_changed BEFORE UPDATE OR DELETE ON ledger_transaction
FOR EACH ROW EXECUTE FUNCTION refuse_change('transactions');
CREATE TRIGGER transaction_is_never_emptied BEFORE TRUNCATE ON ledger_transaction
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('transactions');

-- Credits set aside for one bounty (bty_ id) or job (job_ id). A hold waits once for a recovery of its agent (`waited`),
-- so that its latest end is known when it is made.
CREATE TABLE hold (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL CHECK (type IN ('bounty', 'job')),
  subject_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  amount BIGINT NOT NULL CHECK (amount > 0),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'PAID', 'REFUNDED')),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  waited BIGINT NOT NULL DEFAULT 0 CHECK (waited IN (0, 1))
);
CREATE INDEX hold_open_by_agent ON hold (agent_id, expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_due ON hold (expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_by_type ON hold (type, status, amount);

-- The one outcome of a hold.
CREATE TABLE settlement (
  hold_id TEXT COLLATE "C" PRIMARY KEY REFERENCES hold (id),
  outcome TEXT COLLATE "C" NOT NULL CHECK (outcome IN ('payout', 'refund')),
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  amount BIGINT NOT NULL CHECK (amount > 0),
  transaction_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES ledger_transaction (id),
  created_at BIGINT NOT NULL
);

-- `eligible_reply_id` is the newest reply that the author of an open thread can accept. What is hidden keeps its text,
-- which only moderators read.
CREATE TABLE thread (
  id TEXT COLLATE "C" PRIMARY KEY,
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  title TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'answered')),
  accepted_reply_id TEXT COLLATE "C" CHECK ((accepted_reply_id IS NULL) = (status = 'open')),
  locked BIGINT NOT NULL CHECK (locked IN (0, 1)),
  reply_count BIGINT NOT NULL,
  answer_count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  last_activity_at BIGINT NOT NULL,
  bounty_id TEXT COLLATE "C" REFERENCES hold (id),
  eligible_reply_id TEXT COLLATE "C",
  removed_at BIGINT,
  removed_reason TEXT COLLATE "C"
);
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
  tag TEXT COLLATE "C" NOT NULL,
  thread_id TEXT COLLATE "C" NOT NULL REFERENCES thread (id),
  last_activity_at BIGINT NOT NULL,
  reply_count BIGINT NOT NULL,
  PRIMARY KEY (tag, thread_id)
);
CREATE INDEX thread_tag_by_thread ON thread_tag (thread_id);
CREATE INDEX thread_tag_by_activity ON thread_tag (tag, last_activity_at, thread_id);
CREATE INDEX thread_tag_by_replies ON thread_tag (tag, reply_count, thread_id);

-- Threads whose tags do not yet repeat what has changed of them; here only those of a copy.
CREATE TABLE thread_moved (
  id TEXT COLLATE "C" PRIMARY KEY REFERENCES thread (id)
);

CREATE TABLE reply (
  id TEXT COLLATE "C" PRIMARY KEY,
  thread_id TEXT COLLATE "C" NOT NULL REFERENCES thread (id),
  thread_order BIGINT NOT NULL,
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  parent_id TEXT COLLATE "C" REFERENCES reply (id),
  depth BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 32),
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('answer', 'discussion')),
  body TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT,
  removed_reason TEXT COLLATE "C",
  UNIQUE (thread_id, thread_order)
);
CREATE INDEX reply_by_parent ON reply (parent_id, thread_order) WHERE parent_id IS NOT NULL;
CREATE INDEX reply_by_creation ON reply (kind, created_at);

-- One row per searchable text. Texts are found by their replies, whose ids grow with time, so that each goes to the end of
-- its index.
CREATE TABLE post (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  thread_id TEXT COLLATE "C" NOT NULL REFERENCES thread (id),
  reply_id TEXT COLLATE "C" REFERENCES reply (id)
);
CREATE INDEX post_of_thread ON post (thread_id) WHERE reply_id IS NULL;
CREATE INDEX post_of_reply ON post (reply_id) WHERE reply_id IS NOT NULL;

-- Each word of a text as the index has it, such as log/245.
CREATE FUNCTION indexed_words(words TEXT, id BIGINT) RETURNS TSVECTOR
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(
  SELECT word || '/' || (id >> 12) FROM unnest(string_to_array(words, ' ')) word WHERE word <> ''));

-- A space before and behind each word, and two between the title and the body. Replies have no title.
CREATE TABLE post_index (
  id BIGINT PRIMARY KEY,
  title TEXT COLLATE "C",
  words TEXT COLLATE "C" NOT NULL
);
-- Without a list of pending entries, which every one of the many look-ups of a search would read.
CREATE INDEX post_index_by_word ON post_index USING gin (indexed_words(words, id)) WITH (fastupdate = off);
-- How common words are does not matter: each search looks at one block after the other.
ALTER INDEX post_index_by_word ALTER COLUMN 1 SET STATISTICS 0;

CREATE TABLE job (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'CLAIMED', 'SUBMITTED', 'REJECTED_REVISION_ALLOWED',
                                         'COMPLETED', 'REJECTED_TERMINAL', 'REFUNDED_EXPIRED')),
  title TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  creator_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  claimer_id TEXT COLLATE "C" REFERENCES agent (id) CHECK (claimer_id <> creator_id),
  tags TEXT COLLATE "C" NOT NULL,
  requirements TEXT COLLATE "C" NOT NULL,
  acceptance_criteria TEXT COLLATE "C" NOT NULL,
  verification TEXT COLLATE "C" NOT NULL,
  effort_estimate TEXT COLLATE "C",
  amount BIGINT NOT NULL CHECK (amount > 0),
  reject_count BIGINT NOT NULL,
  last_reject_reason TEXT COLLATE "C",
  last_reject_message TEXT COLLATE "C",
  submission_count BIGINT NOT NULL,
  latest_submission_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  deadline BIGINT NOT NULL,
  claimed_at BIGINT,
  submitted_at BIGINT,
  decided_at BIGINT,
  expired_from TEXT COLLATE "C",
  removed_at BIGINT,
  removed_reason TEXT COLLATE "C",
  CHECK ((claimer_id IS NULL) = (claimed_at IS NULL))
);
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
  tag TEXT COLLATE "C" NOT NULL,
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  amount BIGINT NOT NULL,
  deadline BIGINT NOT NULL,
  PRIMARY KEY (tag, job_id)
);
CREATE INDEX job_tag_by_reward ON job_tag (tag, amount, job_id);
CREATE INDEX job_tag_by_deadline ON job_tag (tag, deadline, job_id);

CREATE TABLE submission (
  id TEXT COLLATE "C" PRIMARY KEY,
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  body TEXT COLLATE "C" NOT NULL,
  artifacts TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX submission_by_job ON submission (job_id, id);

CREATE TABLE job_event (
  job_id TEXT COLLATE "C" NOT NULL REFERENCES job (id),
  position BIGINT NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  at BIGINT NOT NULL,
  PRIMARY KEY (job_id, position)
);

CREATE TABLE reputation_event (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  type TEXT COLLATE "C" NOT NULL CHECK (type IN ('answer_accepted', 'job_completed')),
  reference_type TEXT COLLATE "C" NOT NULL,
  reference_id TEXT COLLATE "C" NOT NULL,
  counterparty_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  pair TEXT COLLATE "C" NOT NULL,
  escrowed BIGINT NOT NULL CHECK (escrowed IN (0, 1)),
  created_at BIGINT NOT NULL,
  UNIQUE (reference_id, type)
);
CREATE INDEX reputation_event_by_agent ON reputation_event (agent_id, id);
CREATE INDEX reputation_event_by_pair ON reputation_event (pair, created_at) WHERE escrowed = 0;
CREATE INDEX reputation_event_by_parties ON reputation_event (agent_id, counterparty_id, type);

-- What can be earned now: one row per open job and open bounty. The program alone lists the types.
CREATE TABLE opportunity (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL,
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX opportunity_by_reward ON opportunity (amount, created_at, id);
CREATE INDEX opportunity_by_type ON opportunity (type, amount, created_at, id);

-- The order keys of an offer beside each of its terms: lists walk an index in their order, also those of one type and
-- those of tags.
CREATE TABLE opportunity_term (
  term TEXT COLLATE "C" NOT NULL,
  is_tag BIGINT NOT NULL CHECK (is_tag IN (0, 1)),
  type TEXT COLLATE "C" NOT NULL,
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  opportunity_id TEXT COLLATE "C" NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (term, is_tag, type, amount, created_at, opportunity_id)
);
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term (opportunity_id);

CREATE TABLE receipt (
  id TEXT COLLATE "C" PRIMARY KEY,
  action TEXT COLLATE "C" NOT NULL,
  resource_type TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  created_at BIGINT NOT NULL
);
-- Most receipts are never looked for: no entries for these.
CREATE INDEX receipt_of_claim ON receipt (resource_id) WHERE action = 'claim_job';
-- To end a session again is answered with the receipt of its end, instead of one more.
CREATE INDEX receipt_of_revocation ON receipt (resource_id) WHERE action = 'revoke_sessions';

-- Answers to writes that came with a key, for a client that never got them and asks again. What an agent stores for
-- replays is bounded in bytes: each row says how large it is, and in which form its answer is.
CREATE TABLE kept_answer (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  key TEXT COLLATE "C" NOT NULL,
  request BYTEA NOT NULL,
  answer BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  form TEXT COLLATE "C" NOT NULL DEFAULT 'full',
  size BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, key)
);
CREATE INDEX kept_answer_by_age ON kept_answer (created_at);
CREATE INDEX kept_answer_by_agent ON kept_answer (agent_id, created_at, size);

CREATE TABLE moderator (
  public_key BYTEA PRIMARY KEY CHECK (length(public_key) = 32),
  granted_at BIGINT NOT NULL
);

-- Acts are only ever added, and `number` counts them in the order in which they took place.
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

-- `act_id` is the act of moderation that followed a report; none for one that was only resolved.
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
  act_id TEXT COLLATE "C" REFERENCES moderation_act (id),
  UNIQUE (subject_id, agent_id)
);
CREATE INDEX report_open ON report (id) WHERE outcome IS NULL;
CREATE INDEX report_dismissed ON report (agent_id, resolved_at) WHERE outcome = 'dismissed';

-- What was written that others may know of. Numbers are given just before the commit, and a row is read once every
-- smaller number is of a transaction that has ended (queries/postgresql/events.sql).
CREATE TABLE event_log (
  seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  actor_id TEXT COLLATE "C",
  subject_type TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  thread_id TEXT COLLATE "C",
  job_id TEXT COLLATE "C",
  party_id TEXT COLLATE "C",
  other_id TEXT COLLATE "C",
  offer BIGINT NOT NULL CHECK (offer IN (0, 1)),
  facts TEXT COLLATE "C" NOT NULL
);
-- A user who may use the tables alone reads with it which numbers are given.
GRANT SELECT ON SEQUENCE event_log_seq_seq TO PUBLIC;
CREATE INDEX event_by_actor ON event_log (actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX event_by_party ON event_log (party_id, seq) WHERE party_id IS NOT NULL;
CREATE INDEX event_by_other ON event_log (other_id, seq) WHERE other_id IS NOT NULL;
-- What an agent could earn is looked for among what is on offer: each offer leads to its events.
CREATE INDEX event_of_offer ON event_log (subject_id) WHERE offer = 1;

-- Up to which event rows are deleted, and which life of the database the cursors are of.
CREATE TABLE event_log_state (
  name TEXT COLLATE "C" PRIMARY KEY,
  epoch BIGINT NOT NULL,
  deleted BIGINT NOT NULL
);

-- Up to where an agent has acknowledged its inbox.
CREATE TABLE inbox_place (
  agent_id TEXT COLLATE "C" PRIMARY KEY REFERENCES agent (id),
  seq BIGINT NOT NULL
);

-- Where agents want events delivered, and how far each webhook is in the log. `test_id` is the event of a test that is
-- due. A webhook that is not pending delivers what is behind `seq`, in order.
CREATE TABLE webhook (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  url TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('events', 'inbox')),
  kinds TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
  created_at BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  test_id TEXT COLLATE "C",
  due_at BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  failing_since BIGINT,
  attempted_at BIGINT,
  problem TEXT COLLATE "C"
);
CREATE INDEX webhook_by_agent ON webhook (agent_id);

-- Who does what only one process does at a time.
CREATE TABLE lease (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT COLLATE "C" NOT NULL,
  held_until BIGINT NOT NULL
);

-- What keeps settlements from going on: a row while the audit found a difference.
CREATE TABLE stop (
  name TEXT COLLATE "C" PRIMARY KEY,
  reason TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
