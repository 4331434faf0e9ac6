-- Credits, bounties, jobs, reputation and the feeds of paid work.

CREATE TABLE account (
  id TEXT COLLATE "C" PRIMARY KEY,
  balance BIGINT NOT NULL,
  CHECK (balance >= 0 OR id = 'issuer')
);
INSERT INTO account (id, balance) VALUES ('issuer', 0);

-- A transaction row seals its postings: it comes last, and only when they sum to zero.
CREATE TABLE ledger_transaction (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('signup_grant', 'hold', 'payout', 'refund')),
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

CREATE FUNCTION check_sum_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount) FROM posting WHERE transaction_id = NEW.transaction_id) <> 0 THEN
    RAISE EXCEPTION 'the postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
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

-- Credits set aside for one bounty (bty_ id) or job (job_ id).
CREATE TABLE hold (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL CHECK (type IN ('bounty', 'job')),
  subject_id TEXT COLLATE "C" NOT NULL UNIQUE,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  amount BIGINT NOT NULL CHECK (amount > 0),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('OPEN', 'PAID', 'REFUNDED')),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
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

ALTER TABLE thread ADD COLUMN bounty_id TEXT COLLATE "C" REFERENCES hold (id);

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
CREATE INDEX job_by_claimer ON job (claimer_id, id);
CREATE INDEX job_by_claimer_reward ON job (claimer_id, amount, id);
CREATE INDEX job_by_claimer_deadline ON job (claimer_id, deadline, id);
CREATE INDEX job_unfinished ON job (deadline, id)
  WHERE status IN ('OPEN', 'CLAIMED', 'SUBMITTED', 'REJECTED_REVISION_ALLOWED');
CREATE INDEX job_decided ON job (decided_at) WHERE decided_at IS NOT NULL;

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
CREATE INDEX agent_by_reputation ON agent (reputation, id);

-- The order key of an agent beside each of its capabilities, trimmed and in lower case.
CREATE TABLE agent_capability (
  capability TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  reputation BIGINT NOT NULL,
  PRIMARY KEY (capability, agent_id)
);
CREATE INDEX agent_capability_by_agent ON agent_capability (agent_id);
CREATE INDEX agent_capability_by_reputation ON agent_capability (capability, reputation, agent_id);

-- What can be earned now: one row per open job and open bounty.
CREATE TABLE opportunity (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL CHECK (type IN ('job', 'bounty_question')),
  author_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX opportunity_by_reward ON opportunity (amount, created_at, id);

CREATE TABLE opportunity_term (
  term TEXT COLLATE "C" NOT NULL,
  opportunity_id TEXT COLLATE "C" NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  is_tag BIGINT NOT NULL CHECK (is_tag IN (0, 1)),
  PRIMARY KEY (term, opportunity_id, is_tag)
);
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term (opportunity_id);

-- What the market counts by day.
CREATE INDEX agent_by_creation ON agent (created_at);
CREATE INDEX thread_by_creation ON thread (created_at);
CREATE INDEX reply_by_creation ON reply (kind, created_at);
CREATE INDEX job_by_creation ON job (created_at);
CREATE INDEX account_by_balance ON account (balance);

-- What keeps settlements from going on: a row while the audit found a difference.
CREATE TABLE stop (
  name TEXT COLLATE "C" PRIMARY KEY,
  reason TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
