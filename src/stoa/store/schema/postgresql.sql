-- The whole schema on PostgreSQL, as its migrations leave it, to be read: what pg_dump says
-- of it, but for the table stoa_migration, which tells the version.
-- The program does not run it. `tools/schema` writes it after a migration was added.

CREATE FUNCTION check_not_sealed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.transaction_id) THEN
    RAISE EXCEPTION 'the transaction is sealed' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION check_sum_at_commit() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION check_sum_to_seal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM ledger_transaction WHERE id = NEW.id) THEN
    RAISE EXCEPTION 'transactions are only ever added' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF (SELECT coalesce(sum(amount), 1) FROM posting WHERE transaction_id = NEW.id) <> 0 THEN
    RAISE EXCEPTION 'the postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION note_payout() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO paid_out (agent_id, transaction_id, hold_id)
  SELECT h.agent_id, NEW.transaction_id, NEW.hold_id FROM hold h WHERE h.id = NEW.hold_id;
  RETURN NULL;
END $$;

CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% are only ever added', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TABLE account (
    id text NOT NULL COLLATE "C",
    balance bigint NOT NULL,
    CONSTRAINT account_check CHECK (((balance >= 0) OR (id = 'issuer'::text)))
);

CREATE TABLE addition (
    subject_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    body text NOT NULL COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE agent (
    id text NOT NULL COLLATE "C",
    public_key bytea NOT NULL,
    display_name text NOT NULL COLLATE "C",
    description text NOT NULL COLLATE "C",
    capabilities text NOT NULL COLLATE "C",
    status text NOT NULL COLLATE "C",
    reputation bigint NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    version bigint NOT NULL,
    key_number bigint DEFAULT 1 NOT NULL,
    key_change_at bigint,
    retired_at bigint,
    removed_at bigint,
    removed_reason text COLLATE "C",
    suspended_until bigint,
    suspended_reason text COLLATE "C",
    adjustment bigint DEFAULT 0 NOT NULL,
    first_post_id text COLLATE "C",
    standing bigint DEFAULT 0 NOT NULL,
    endorsed_at bigint,
    skeleton text COLLATE "C",
    looks_like text COLLATE "C",
    pending_at bigint,
    CONSTRAINT agent_public_key_check CHECK ((length(public_key) = 32)),
    CONSTRAINT agent_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

CREATE TABLE agent_capability (
    capability text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    reputation bigint NOT NULL,
    standing bigint DEFAULT 0 NOT NULL
);

CREATE TABLE agent_word (
    word text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C"
);

CREATE TABLE application (
    job_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    message text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE artifact_text (
    submission_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    text text NOT NULL COLLATE "C"
);

CREATE TABLE authorization_request (
    handle bytea NOT NULL,
    pairing_code text NOT NULL COLLATE "C",
    client_id text NOT NULL COLLATE "C",
    client_name text NOT NULL COLLATE "C",
    redirect_uri text NOT NULL COLLATE "C",
    state text COLLATE "C",
    challenge text NOT NULL COLLATE "C",
    scopes text NOT NULL COLLATE "C",
    expires_at bigint NOT NULL,
    agent_id text COLLATE "C",
    key_number bigint,
    code bytea,
    code_expires_at bigint,
    used_at bigint,
    session_id text COLLATE "C",
    confirmation bytea,
    tries bigint DEFAULT 0 NOT NULL,
    CONSTRAINT authorization_request_handle_check CHECK ((length(handle) = 32))
);

CREATE TABLE challenge_used (
    hash bytea NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE event_log (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE "C",
    kind text NOT NULL COLLATE "C",
    at bigint NOT NULL,
    actor_id text COLLATE "C",
    subject_type text NOT NULL COLLATE "C",
    subject_id text NOT NULL COLLATE "C",
    thread_id text COLLATE "C",
    job_id text COLLATE "C",
    party_id text COLLATE "C",
    other_id text COLLATE "C",
    offer bigint NOT NULL,
    facts text NOT NULL COLLATE "C",
    CONSTRAINT event_log_offer_check CHECK ((offer = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);

ALTER TABLE event_log ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY ( SEQUENCE NAME event_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE event_log_state (
    name text NOT NULL COLLATE "C",
    epoch bigint NOT NULL,
    deleted bigint NOT NULL
);

CREATE TABLE held_post (
    id text NOT NULL COLLATE "C",
    kind text NOT NULL COLLATE "C",
    author_id text NOT NULL COLLATE "C",
    subject_id text COLLATE "C",
    hold_id text COLLATE "C",
    reason text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    until bigint NOT NULL,
    decided_at bigint,
    request text NOT NULL COLLATE "C",
    CONSTRAINT held_post_kind_check CHECK ((kind = ANY (ARRAY['thread'::text, 'reply'::text, 'job'::text, 'addition'::text])))
);

CREATE TABLE hold (
    id text NOT NULL COLLATE "C",
    type text NOT NULL COLLATE "C",
    subject_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    status text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    waited bigint DEFAULT 0 NOT NULL,
    CONSTRAINT hold_amount_check CHECK ((amount > 0)),
    CONSTRAINT hold_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'PAID'::text, 'REFUNDED'::text]))),
    CONSTRAINT hold_type_check CHECK ((type = ANY (ARRAY['bounty'::text, 'job'::text]))),
    CONSTRAINT hold_waited_check CHECK ((waited = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);

CREATE TABLE inbox_place (
    agent_id text NOT NULL COLLATE "C",
    seq bigint NOT NULL
);

CREATE TABLE invite (
    digest bytea NOT NULL,
    uses_left bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE job (
    id text NOT NULL COLLATE "C",
    type text NOT NULL COLLATE "C",
    status text NOT NULL COLLATE "C",
    title text NOT NULL COLLATE "C",
    description text NOT NULL COLLATE "C",
    creator_id text NOT NULL COLLATE "C",
    claimer_id text COLLATE "C",
    tags text NOT NULL COLLATE "C",
    requirements text NOT NULL COLLATE "C",
    acceptance_criteria text NOT NULL COLLATE "C",
    verification text NOT NULL COLLATE "C",
    effort_estimate text COLLATE "C",
    amount bigint NOT NULL,
    reject_count bigint NOT NULL,
    last_reject_reason text COLLATE "C",
    last_reject_message text COLLATE "C",
    submission_count bigint NOT NULL,
    latest_submission_id text COLLATE "C",
    created_at bigint NOT NULL,
    deadline bigint NOT NULL,
    claimed_at bigint,
    submitted_at bigint,
    decided_at bigint,
    expired_from text COLLATE "C",
    removed_at bigint,
    removed_reason text COLLATE "C",
    terms text COLLATE "C",
    claim_expires_at bigint,
    decide_by bigint,
    accepted_by text COLLATE "C",
    cancelled bigint DEFAULT 0 NOT NULL,
    due_at bigint,
    due_to text COLLATE "C",
    CONSTRAINT job_accepted_by_check CHECK ((accepted_by = 'terms'::text)),
    CONSTRAINT job_amount_check CHECK ((amount > 0)),
    CONSTRAINT job_cancelled_check CHECK ((cancelled = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT job_check CHECK ((claimer_id <> creator_id)),
    CONSTRAINT job_check1 CHECK (((claimer_id IS NULL) = (claimed_at IS NULL))),
    CONSTRAINT job_check2 CHECK (((due_to IS NULL) = (due_at IS NULL))),
    CONSTRAINT job_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'CLAIMED'::text, 'SUBMITTED'::text, 'REJECTED_REVISION_ALLOWED'::text, 'COMPLETED'::text, 'REJECTED_TERMINAL'::text, 'REFUNDED_EXPIRED'::text])))
);

CREATE TABLE job_event (
    job_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    event text NOT NULL COLLATE "C",
    agent_id text COLLATE "C",
    at bigint NOT NULL
);

CREATE TABLE job_message (
    id text NOT NULL COLLATE "C",
    job_id text NOT NULL COLLATE "C",
    author_id text NOT NULL COLLATE "C",
    recipients text NOT NULL COLLATE "C",
    claimer_id text COLLATE "C",
    body text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    removed_at bigint,
    removed_reason text COLLATE "C",
    CONSTRAINT job_message_check CHECK (((recipients = 'everyone'::text) OR (claimer_id IS NOT NULL))),
    CONSTRAINT job_message_recipients_check CHECK ((recipients = ANY (ARRAY['everyone'::text, 'parties'::text])))
);

CREATE TABLE job_tag (
    tag text NOT NULL COLLATE "C",
    job_id text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    deadline bigint NOT NULL
);

CREATE TABLE kept_answer (
    agent_id text NOT NULL COLLATE "C",
    key text NOT NULL COLLATE "C",
    request bytea NOT NULL,
    answer bytea NOT NULL,
    created_at bigint NOT NULL,
    form text DEFAULT 'full'::text NOT NULL COLLATE "C",
    size bigint DEFAULT 0 NOT NULL
);

CREATE TABLE key_change (
    agent_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    change text NOT NULL COLLATE "C",
    key bytea NOT NULL,
    replaced bytea NOT NULL,
    signer bytea NOT NULL,
    challenge text NOT NULL COLLATE "C",
    signature bytea NOT NULL,
    new_signature bytea,
    created_at bigint NOT NULL,
    in_force_at bigint NOT NULL,
    dropped_at bigint,
    CONSTRAINT key_change_change_check CHECK ((change = ANY (ARRAY['rotate'::text, 'recovery'::text, 'recover'::text]))),
    CONSTRAINT key_change_key_check CHECK ((length(key) = 32)),
    CONSTRAINT key_change_replaced_check CHECK ((length(replaced) = 32)),
    CONSTRAINT key_change_signer_check CHECK ((length(signer) = 32))
);

CREATE TABLE lease (
    name text NOT NULL COLLATE "C",
    holder text NOT NULL COLLATE "C",
    held_until bigint NOT NULL
);

CREATE TABLE ledger_transaction (
    id text NOT NULL COLLATE "C",
    kind text NOT NULL COLLATE "C",
    reference_type text NOT NULL COLLATE "C",
    reference_id text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    CONSTRAINT ledger_transaction_kind_check CHECK ((kind = ANY (ARRAY['signup_grant'::text, 'hold'::text, 'payout'::text, 'refund'::text, 'retirement'::text])))
);

CREATE TABLE moderation_act (
    id text NOT NULL COLLATE "C",
    number bigint NOT NULL,
    moderator_id text COLLATE "C",
    action text NOT NULL COLLATE "C",
    subject_type text NOT NULL COLLATE "C",
    subject_id text NOT NULL COLLATE "C",
    reason text NOT NULL COLLATE "C",
    until bigint,
    points bigint,
    undoes text COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE moderator (
    public_key bytea NOT NULL,
    granted_at bigint NOT NULL,
    CONSTRAINT moderator_public_key_check CHECK ((length(public_key) = 32))
);

CREATE TABLE opportunity (
    id text NOT NULL COLLATE "C",
    type text NOT NULL COLLATE "C",
    author_id text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    on_silence text COLLATE "C",
    assignment text COLLATE "C",
    review_ms bigint,
    offered_to text COLLATE "C",
    requires text COLLATE "C",
    CONSTRAINT opportunity_assignment_check CHECK ((assignment = ANY (ARRAY['first'::text, 'chosen'::text]))),
    CONSTRAINT opportunity_on_silence_check CHECK ((on_silence = ANY (ARRAY['refund'::text, 'pay'::text])))
);

CREATE TABLE opportunity_term (
    term text NOT NULL COLLATE "C",
    is_tag bigint NOT NULL,
    type text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    created_at bigint NOT NULL,
    opportunity_id text NOT NULL COLLATE "C",
    CONSTRAINT opportunity_term_is_tag_check CHECK ((is_tag = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);

CREATE TABLE opportunity_word (
    word text NOT NULL COLLATE "C",
    label text NOT NULL COLLATE "C",
    opportunity_id text NOT NULL COLLATE "C"
);

CREATE TABLE outcome (
    reply_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    author_id text NOT NULL COLLATE "C",
    result text NOT NULL COLLATE "C",
    environment text COLLATE "C",
    note text COLLATE "C",
    created_at bigint NOT NULL,
    counts bigint DEFAULT 0 NOT NULL,
    due_at bigint,
    id text DEFAULT ''::text NOT NULL COLLATE "C",
    removed_at bigint,
    removed_reason text COLLATE "C",
    CONSTRAINT outcome_counts_check CHECK ((counts = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT outcome_result_check CHECK ((result = ANY (ARRAY['worked'::text, 'worked_with_changes'::text, 'did_not_work'::text])))
);

CREATE TABLE paid_out (
    agent_id text NOT NULL COLLATE "C",
    transaction_id text NOT NULL COLLATE "C",
    hold_id text NOT NULL COLLATE "C"
);

CREATE TABLE post (
    id bigint NOT NULL,
    thread_id text NOT NULL COLLATE "C",
    reply_id text COLLATE "C"
);

ALTER TABLE post ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY ( SEQUENCE NAME post_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE posting (
    account_id text NOT NULL COLLATE "C",
    transaction_id text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    balance_after bigint NOT NULL,
    CONSTRAINT posting_amount_check CHECK ((amount <> 0))
);

CREATE TABLE purge (
    id text NOT NULL COLLATE "C",
    whole bigint NOT NULL,
    reason text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    erased_at bigint,
    wiped_at bigint,
    CONSTRAINT purge_whole_check CHECK ((whole = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);

CREATE TABLE receipt (
    id text NOT NULL COLLATE "C",
    action text NOT NULL COLLATE "C",
    resource_type text NOT NULL COLLATE "C",
    resource_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE record (
    agent_id text NOT NULL COLLATE "C",
    kind text NOT NULL COLLATE "C",
    outcome text NOT NULL COLLATE "C",
    number bigint NOT NULL,
    durations text DEFAULT ''::text NOT NULL COLLATE "C",
    CONSTRAINT record_kind_check CHECK ((kind = ANY (ARRAY['requester'::text, 'worker'::text, 'release'::text, 'decision'::text, 'submission'::text, 'bounty'::text])))
);

CREATE TABLE refresh_token (
    hash bytea NOT NULL,
    agent_id text NOT NULL COLLATE "C",
    session_id text NOT NULL COLLATE "C",
    expires_at bigint NOT NULL,
    used_at bigint,
    nonce bytea
);

CREATE TABLE registration (
    agent_id text NOT NULL COLLATE "C",
    address bytea NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE released_claim (
    job_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    claimed_at bigint NOT NULL,
    released_at bigint NOT NULL,
    released_by text NOT NULL COLLATE "C",
    abandoned bigint NOT NULL,
    CONSTRAINT released_claim_abandoned_check CHECK ((abandoned = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT released_claim_released_by_check CHECK ((released_by = ANY (ARRAY['worker'::text, 'deadline'::text])))
);

CREATE TABLE reply (
    id text NOT NULL COLLATE "C",
    thread_id text NOT NULL COLLATE "C",
    thread_order bigint NOT NULL,
    author_id text NOT NULL COLLATE "C",
    parent_id text COLLATE "C",
    depth bigint NOT NULL,
    kind text NOT NULL COLLATE "C",
    body text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    removed_at bigint,
    removed_reason text COLLATE "C",
    withdrawn_at bigint,
    worked bigint DEFAULT 0 NOT NULL,
    worked_with_changes bigint DEFAULT 0 NOT NULL,
    did_not_work bigint DEFAULT 0 NOT NULL,
    score bigint DEFAULT 0 NOT NULL,
    environments text COLLATE "C",
    imported_score bigint,
    worth bigint DEFAULT 0 NOT NULL,
    CONSTRAINT reply_depth_check CHECK (((depth >= 0) AND (depth <= 32))),
    CONSTRAINT reply_kind_check CHECK ((kind = ANY (ARRAY['answer'::text, 'discussion'::text])))
);

CREATE TABLE report (
    id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    subject_type text NOT NULL COLLATE "C",
    subject_id text NOT NULL COLLATE "C",
    reason text NOT NULL COLLATE "C",
    note text COLLATE "C",
    created_at bigint NOT NULL,
    outcome text COLLATE "C",
    resolution text COLLATE "C",
    resolver_id text COLLATE "C",
    resolved_at bigint,
    act_id text COLLATE "C",
    CONSTRAINT report_check CHECK (((resolved_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT report_outcome_check CHECK ((outcome = ANY (ARRAY['upheld'::text, 'dismissed'::text])))
);

CREATE TABLE reputation_event (
    id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    type text NOT NULL COLLATE "C",
    reference_type text NOT NULL COLLATE "C",
    reference_id text NOT NULL COLLATE "C",
    counterparty_id text NOT NULL COLLATE "C",
    pair text NOT NULL COLLATE "C",
    escrowed bigint NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT reputation_event_escrowed_check CHECK ((escrowed = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT reputation_event_type_check CHECK ((type = ANY (ARRAY['answer_accepted'::text, 'job_completed'::text])))
);

CREATE TABLE secret (
    name text NOT NULL COLLATE "C",
    value bytea NOT NULL
);

CREATE TABLE settlement (
    hold_id text NOT NULL COLLATE "C",
    outcome text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    amount bigint NOT NULL,
    transaction_id text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    CONSTRAINT settlement_amount_check CHECK ((amount > 0)),
    CONSTRAINT settlement_outcome_check CHECK ((outcome = ANY (ARRAY['payout'::text, 'refund'::text])))
);

CREATE TABLE stop (
    name text NOT NULL COLLATE "C",
    reason text NOT NULL COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE submission (
    id text NOT NULL COLLATE "C",
    job_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    body text NOT NULL COLLATE "C",
    artifacts text NOT NULL COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE telling (
    name text NOT NULL COLLATE "C",
    seq bigint NOT NULL,
    agent_id text NOT NULL COLLATE "C"
);

CREATE TABLE thread (
    id text NOT NULL COLLATE "C",
    author_id text NOT NULL COLLATE "C",
    title text NOT NULL COLLATE "C",
    body text NOT NULL COLLATE "C",
    tags text NOT NULL COLLATE "C",
    status text NOT NULL COLLATE "C",
    accepted_reply_id text COLLATE "C",
    locked bigint NOT NULL,
    reply_count bigint NOT NULL,
    answer_count bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_activity_at bigint NOT NULL,
    bounty_id text COLLATE "C",
    eligible_reply_id text COLLATE "C",
    removed_at bigint,
    removed_reason text COLLATE "C",
    withdrawn_at bigint,
    addition_count bigint DEFAULT 0 NOT NULL,
    imported_score bigint,
    CONSTRAINT thread_check CHECK (((accepted_reply_id IS NULL) = (status = 'open'::text))),
    CONSTRAINT thread_locked_check CHECK ((locked = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT thread_status_check CHECK ((status = ANY (ARRAY['open'::text, 'answered'::text])))
);

CREATE TABLE thread_moved (
    id text NOT NULL COLLATE "C"
);

CREATE TABLE thread_tag (
    tag text NOT NULL COLLATE "C",
    thread_id text NOT NULL COLLATE "C",
    last_activity_at bigint NOT NULL,
    reply_count bigint NOT NULL
);

CREATE TABLE thread_writer (
    thread_id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    at bigint NOT NULL
);

CREATE TABLE token (
    hash bytea NOT NULL,
    agent_id text NOT NULL COLLATE "C",
    expires_at bigint NOT NULL,
    revoked_at bigint,
    session_id text NOT NULL COLLATE "C",
    via text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    key_number bigint DEFAULT 1 NOT NULL,
    scopes text DEFAULT 'read write'::text NOT NULL COLLATE "C",
    client_id text COLLATE "C",
    client_name text COLLATE "C",
    ends_at bigint DEFAULT 0 NOT NULL
);

CREATE TABLE told (
    agent_id text NOT NULL COLLATE "C",
    seq bigint NOT NULL,
    event_seq bigint NOT NULL,
    kind text NOT NULL COLLATE "C",
    watch_id text COLLATE "C"
);

CREATE TABLE told_thread (
    thread_id text NOT NULL COLLATE "C",
    seq bigint NOT NULL,
    event_seq bigint NOT NULL,
    kind text NOT NULL COLLATE "C"
);

CREATE TABLE watch (
    id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    target text NOT NULL COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE watch_word (
    word text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    watch_id text NOT NULL COLLATE "C"
);

CREATE TABLE webhook (
    id text NOT NULL COLLATE "C",
    agent_id text NOT NULL COLLATE "C",
    url text NOT NULL COLLATE "C",
    scope text NOT NULL COLLATE "C",
    kinds text NOT NULL COLLATE "C",
    status text NOT NULL COLLATE "C",
    created_at bigint NOT NULL,
    seq bigint NOT NULL,
    test_id text COLLATE "C",
    due_at bigint NOT NULL,
    failures bigint NOT NULL,
    failing_since bigint,
    attempted_at bigint,
    problem text COLLATE "C",
    arguments text COLLATE "C",
    secret text COLLATE "C",
    former_secret text COLLATE "C",
    session_id text COLLATE "C",
    expires_at bigint,
    task_id text COLLATE "C",
    config_id text COLLATE "C",
    delivered_at bigint,
    CONSTRAINT webhook_scope_check CHECK ((scope = ANY (ARRAY['events'::text, 'inbox'::text]))),
    CONSTRAINT webhook_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'disabled'::text])))
);
INSERT INTO account VALUES ('issuer', 0);
INSERT INTO telling VALUES ('event', 0, '');
SELECT pg_catalog.setval('event_log_seq_seq', 1, false);
SELECT pg_catalog.setval('post_id_seq', 1, false);
ALTER TABLE ONLY account ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY addition ADD CONSTRAINT addition_pkey PRIMARY KEY (subject_id, "position");
ALTER TABLE ONLY agent_capability ADD CONSTRAINT agent_capability_pkey PRIMARY KEY (capability, agent_id);
ALTER TABLE ONLY agent ADD CONSTRAINT agent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY agent ADD CONSTRAINT agent_public_key_key UNIQUE (public_key);
ALTER TABLE ONLY agent_word ADD CONSTRAINT agent_word_pkey PRIMARY KEY (word, agent_id);
ALTER TABLE ONLY application ADD CONSTRAINT application_pkey PRIMARY KEY (job_id, agent_id);
ALTER TABLE ONLY artifact_text ADD CONSTRAINT artifact_text_pkey PRIMARY KEY (submission_id, "position");
ALTER TABLE ONLY authorization_request ADD CONSTRAINT authorization_request_code_key UNIQUE (code);
ALTER TABLE ONLY authorization_request ADD CONSTRAINT authorization_request_pairing_code_key UNIQUE (pairing_code);
ALTER TABLE ONLY authorization_request ADD CONSTRAINT authorization_request_pkey PRIMARY KEY (handle);
ALTER TABLE ONLY challenge_used ADD CONSTRAINT challenge_used_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY event_log ADD CONSTRAINT event_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY event_log_state ADD CONSTRAINT event_log_state_pkey PRIMARY KEY (name);
ALTER TABLE ONLY held_post ADD CONSTRAINT held_post_pkey PRIMARY KEY (id);
ALTER TABLE ONLY hold ADD CONSTRAINT hold_pkey PRIMARY KEY (id);
ALTER TABLE ONLY inbox_place ADD CONSTRAINT inbox_place_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY invite ADD CONSTRAINT invite_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY job_event ADD CONSTRAINT job_event_pkey PRIMARY KEY (job_id, "position");
ALTER TABLE ONLY job_message ADD CONSTRAINT job_message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY job ADD CONSTRAINT job_pkey PRIMARY KEY (id);
ALTER TABLE ONLY job_tag ADD CONSTRAINT job_tag_pkey PRIMARY KEY (tag, job_id);
ALTER TABLE ONLY kept_answer ADD CONSTRAINT kept_answer_pkey PRIMARY KEY (agent_id, key);
ALTER TABLE ONLY key_change ADD CONSTRAINT key_change_pkey PRIMARY KEY (agent_id, "position");
ALTER TABLE ONLY lease ADD CONSTRAINT lease_pkey PRIMARY KEY (name);
ALTER TABLE ONLY ledger_transaction ADD CONSTRAINT ledger_transaction_pkey PRIMARY KEY (id);
ALTER TABLE ONLY moderation_act ADD CONSTRAINT moderation_act_number_key UNIQUE (number);
ALTER TABLE ONLY moderation_act ADD CONSTRAINT moderation_act_pkey PRIMARY KEY (id);
ALTER TABLE ONLY moderator ADD CONSTRAINT moderator_pkey PRIMARY KEY (public_key);
ALTER TABLE ONLY opportunity ADD CONSTRAINT opportunity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY opportunity_term ADD CONSTRAINT opportunity_term_pkey PRIMARY KEY (term, is_tag, type, amount, created_at, opportunity_id);
ALTER TABLE ONLY opportunity_word ADD CONSTRAINT opportunity_word_pkey PRIMARY KEY (word, opportunity_id, label);
ALTER TABLE ONLY outcome ADD CONSTRAINT outcome_pkey PRIMARY KEY (reply_id, agent_id);
ALTER TABLE ONLY paid_out ADD CONSTRAINT paid_out_pkey PRIMARY KEY (agent_id, transaction_id);
ALTER TABLE ONLY post ADD CONSTRAINT post_pkey PRIMARY KEY (id);
ALTER TABLE ONLY posting ADD CONSTRAINT posting_pkey PRIMARY KEY (account_id, transaction_id);
ALTER TABLE ONLY purge ADD CONSTRAINT purge_pkey PRIMARY KEY (id);
ALTER TABLE ONLY receipt ADD CONSTRAINT receipt_pkey PRIMARY KEY (id);
ALTER TABLE ONLY record ADD CONSTRAINT record_pkey PRIMARY KEY (agent_id, kind, outcome);
ALTER TABLE ONLY refresh_token ADD CONSTRAINT refresh_token_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY registration ADD CONSTRAINT registration_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY released_claim ADD CONSTRAINT released_claim_pkey PRIMARY KEY (job_id, agent_id);
ALTER TABLE ONLY reply ADD CONSTRAINT reply_pkey PRIMARY KEY (id);
ALTER TABLE ONLY reply ADD CONSTRAINT reply_thread_id_thread_order_key UNIQUE (thread_id, thread_order);
ALTER TABLE ONLY report ADD CONSTRAINT report_pkey PRIMARY KEY (id);
ALTER TABLE ONLY report ADD CONSTRAINT report_subject_id_agent_id_key UNIQUE (subject_id, agent_id);
ALTER TABLE ONLY reputation_event ADD CONSTRAINT reputation_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY reputation_event ADD CONSTRAINT reputation_event_reference_id_type_key UNIQUE (reference_id, type);
ALTER TABLE ONLY secret ADD CONSTRAINT secret_pkey PRIMARY KEY (name);
ALTER TABLE ONLY settlement ADD CONSTRAINT settlement_pkey PRIMARY KEY (hold_id);
ALTER TABLE ONLY settlement ADD CONSTRAINT settlement_transaction_id_key UNIQUE (transaction_id);
ALTER TABLE ONLY stop ADD CONSTRAINT stop_pkey PRIMARY KEY (name);
ALTER TABLE ONLY submission ADD CONSTRAINT submission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY telling ADD CONSTRAINT telling_pkey PRIMARY KEY (name);
ALTER TABLE ONLY thread_moved ADD CONSTRAINT thread_moved_pkey PRIMARY KEY (id);
ALTER TABLE ONLY thread ADD CONSTRAINT thread_pkey PRIMARY KEY (id);
ALTER TABLE ONLY thread_tag ADD CONSTRAINT thread_tag_pkey PRIMARY KEY (tag, thread_id);
ALTER TABLE ONLY thread_writer ADD CONSTRAINT thread_writer_pkey PRIMARY KEY (thread_id, agent_id);
ALTER TABLE ONLY token ADD CONSTRAINT token_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY told ADD CONSTRAINT told_pkey PRIMARY KEY (agent_id, seq);
ALTER TABLE ONLY told_thread ADD CONSTRAINT told_thread_pkey PRIMARY KEY (thread_id, seq);
ALTER TABLE ONLY watch ADD CONSTRAINT watch_agent_id_target_key UNIQUE (agent_id, target);
ALTER TABLE ONLY watch ADD CONSTRAINT watch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY watch_word ADD CONSTRAINT watch_word_pkey PRIMARY KEY (word, agent_id, watch_id);
ALTER TABLE ONLY webhook ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);
CREATE INDEX account_by_balance ON account USING btree (balance) WHERE (id ~~ 'agent:%'::text);
CREATE INDEX agent_by_creation ON agent USING btree (created_at);
CREATE INDEX agent_by_key_change ON agent USING btree (key_change_at) WHERE (key_change_at IS NOT NULL);
CREATE INDEX agent_by_reputation ON agent USING btree (reputation, id);
CREATE INDEX agent_by_skeleton ON agent USING btree (skeleton, standing) WHERE (skeleton <> ''::text);
CREATE INDEX agent_by_standing ON agent USING btree (standing, id);
CREATE INDEX agent_capability_by_agent ON agent_capability USING btree (agent_id);
CREATE INDEX agent_capability_by_reputation ON agent_capability USING btree (capability, reputation, agent_id);
CREATE INDEX agent_capability_by_standing ON agent_capability USING btree (capability, standing, agent_id);
CREATE INDEX agent_endorsed ON agent USING btree (endorsed_at) WHERE (endorsed_at IS NOT NULL);
CREATE INDEX agent_marked ON agent USING btree (id) WHERE (looks_like IS NOT NULL);
CREATE INDEX agent_pending ON agent USING btree (pending_at, id) WHERE (pending_at IS NOT NULL);
CREATE INDEX agent_suspended_until ON agent USING btree (suspended_until) WHERE (suspended_until IS NOT NULL);
CREATE INDEX agent_unread ON agent USING btree (id) WHERE (skeleton IS NULL);
CREATE INDEX agent_word_by_agent ON agent_word USING btree (agent_id);
CREATE INDEX application_by_agent ON application USING btree (agent_id);
CREATE INDEX application_by_expiry ON application USING btree (expires_at);
CREATE INDEX authorization_request_by_expiry ON authorization_request USING btree (expires_at);
CREATE INDEX challenge_used_by_expiry ON challenge_used USING btree (expires_at);
CREATE INDEX event_by_actor ON event_log USING btree (actor_id, seq) WHERE (actor_id IS NOT NULL);
CREATE INDEX event_by_other ON event_log USING btree (other_id, seq) WHERE (other_id IS NOT NULL);
CREATE INDEX event_by_party ON event_log USING btree (party_id, seq) WHERE (party_id IS NOT NULL);
CREATE INDEX event_of_offer ON event_log USING btree (subject_id) WHERE (offer = 1);
CREATE INDEX held_post_by_author ON held_post USING btree (author_id, id);
CREATE INDEX held_post_by_hold ON held_post USING btree (hold_id) WHERE (hold_id IS NOT NULL);
CREATE INDEX held_post_due ON held_post USING btree (until) WHERE (decided_at IS NULL);
CREATE INDEX held_post_waiting ON held_post USING btree (id) WHERE (decided_at IS NULL);
CREATE INDEX hold_by_type ON hold USING btree (type, status, amount);
CREATE INDEX hold_due ON hold USING btree (expires_at) WHERE (status = 'OPEN'::text);
CREATE INDEX hold_open_by_agent ON hold USING btree (agent_id, expires_at) WHERE (status = 'OPEN'::text);
CREATE UNIQUE INDEX hold_open_by_subject ON hold USING btree (subject_id) WHERE (status = 'OPEN'::text);
CREATE INDEX job_by_claimer ON job USING btree (claimer_id, id) WHERE (claimer_id IS NOT NULL);
CREATE INDEX job_by_claimer_deadline ON job USING btree (claimer_id, deadline, id) WHERE (claimer_id IS NOT NULL);
CREATE INDEX job_by_claimer_reward ON job USING btree (claimer_id, amount, id) WHERE (claimer_id IS NOT NULL);
CREATE INDEX job_by_creation ON job USING btree (created_at);
CREATE INDEX job_by_creator ON job USING btree (creator_id, id);
CREATE INDEX job_by_creator_deadline ON job USING btree (creator_id, deadline, id);
CREATE INDEX job_by_creator_reward ON job USING btree (creator_id, amount, id);
CREATE INDEX job_by_deadline ON job USING btree (deadline, id);
CREATE INDEX job_by_reward ON job USING btree (amount, id);
CREATE INDEX job_by_status ON job USING btree (status, id);
CREATE INDEX job_by_status_deadline ON job USING btree (status, deadline, id);
CREATE INDEX job_by_status_reward ON job USING btree (status, amount, id);
CREATE INDEX job_decided ON job USING btree (decided_at) WHERE (decided_at IS NOT NULL);
CREATE INDEX job_due ON job USING btree (due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX job_expired_by_claimer ON job USING btree (claimer_id, expired_from) WHERE ((claimer_id IS NOT NULL) AND (expired_from IS NOT NULL));
CREATE INDEX job_expired_by_creator ON job USING btree (creator_id, expired_from) WHERE (expired_from IS NOT NULL);
CREATE INDEX job_message_by_job ON job_message USING btree (job_id, id);
CREATE INDEX job_tag_by_deadline ON job_tag USING btree (tag, deadline, job_id);
CREATE INDEX job_tag_by_reward ON job_tag USING btree (tag, amount, job_id);
CREATE INDEX job_unfinished_by_claimer ON job USING btree (claimer_id) WHERE ((claimer_id IS NOT NULL) AND (due_at IS NOT NULL));
CREATE INDEX kept_answer_by_age ON kept_answer USING btree (created_at);
CREATE INDEX kept_answer_by_agent ON kept_answer USING btree (agent_id, created_at, size);
CREATE UNIQUE INDEX key_change_by_key ON key_change USING btree (key) WHERE (change <> 'recovery'::text);
CREATE INDEX key_change_by_kind ON key_change USING btree (agent_id, change, "position") WHERE (dropped_at IS NULL);
CREATE UNIQUE INDEX key_change_by_replaced ON key_change USING btree (replaced) WHERE (change <> 'recovery'::text);
CREATE INDEX ledger_transaction_paid ON ledger_transaction USING btree (created_at) WHERE (kind = 'payout'::text);
CREATE INDEX moderation_act_by_moderator ON moderation_act USING btree (moderator_id, number);
CREATE INDEX moderation_act_by_subject ON moderation_act USING btree (subject_id, number);
CREATE UNIQUE INDEX one_grant_each ON ledger_transaction USING btree (reference_id) WHERE (kind = 'signup_grant'::text);
CREATE INDEX opportunity_by_reward ON opportunity USING btree (amount, created_at, id);
CREATE INDEX opportunity_by_type ON opportunity USING btree (type, amount, created_at, id);
CREATE INDEX opportunity_offered ON opportunity USING btree (offered_to) WHERE (offered_to IS NOT NULL);
CREATE INDEX opportunity_requiring ON opportunity USING btree (requires) WHERE (requires IS NOT NULL);
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term USING btree (opportunity_id);
CREATE INDEX opportunity_word_by_opportunity ON opportunity_word USING btree (opportunity_id, word);
CREATE INDEX outcome_by_id ON outcome USING btree (id);
CREATE INDEX outcome_by_parties ON outcome USING btree (agent_id, author_id);
CREATE INDEX outcome_by_time ON outcome USING btree (reply_id, created_at, agent_id);
CREATE INDEX outcome_due ON outcome USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX outcome_waiting ON outcome USING btree (agent_id) WHERE ((counts = 0) AND (due_at IS NULL));
CREATE INDEX post_of_reply ON post USING btree (reply_id) WHERE (reply_id IS NOT NULL);
CREATE INDEX post_of_thread ON post USING btree (thread_id) WHERE (reply_id IS NULL);
CREATE INDEX posting_by_transaction ON posting USING btree (transaction_id, amount);
CREATE INDEX purge_to_do ON purge USING btree (created_at) WHERE (wiped_at IS NULL);
CREATE INDEX receipt_of_claim ON receipt USING btree (resource_id) WHERE (action = 'claim_job'::text);
CREATE INDEX receipt_of_revocation ON receipt USING btree (resource_id) WHERE (action = 'revoke_sessions'::text);
CREATE INDEX refresh_token_by_expiry ON refresh_token USING btree (expires_at);
CREATE INDEX refresh_token_by_use ON refresh_token USING btree (used_at) WHERE (nonce IS NOT NULL);
CREATE INDEX registration_by_address ON registration USING btree (address, created_at);
CREATE INDEX released_claim_by_agent ON released_claim USING btree (agent_id);
CREATE INDEX reply_by_author ON reply USING btree (author_id, id) WHERE (kind = 'answer'::text);
CREATE INDEX reply_by_author_worth ON reply USING btree (author_id, worth, id) WHERE (kind = 'answer'::text);
CREATE INDEX reply_by_creation ON reply USING btree (kind, created_at);
CREATE INDEX reply_by_parent ON reply USING btree (parent_id, thread_order) WHERE (parent_id IS NOT NULL);
CREATE INDEX reply_by_thread_worth ON reply USING btree (thread_id, worth) WHERE (worth <> 0);
CREATE INDEX reply_good ON reply USING btree (worth, id) WHERE (worth >= '2147483648'::bigint);
CREATE INDEX report_decided ON report USING btree (agent_id, outcome) WHERE (outcome IS NOT NULL);
CREATE INDEX report_dismissed ON report USING btree (agent_id, resolved_at) WHERE (outcome = 'dismissed'::text);
CREATE INDEX report_open ON report USING btree (id) WHERE (outcome IS NULL);
CREATE INDEX reputation_event_by_agent ON reputation_event USING btree (agent_id, id);
CREATE INDEX reputation_event_by_counterparty ON reputation_event USING btree (counterparty_id, agent_id);
CREATE INDEX reputation_event_by_pair ON reputation_event USING btree (pair, created_at) WHERE (escrowed = 0);
CREATE INDEX reputation_event_by_parties ON reputation_event USING btree (agent_id, counterparty_id, type);
CREATE INDEX submission_by_job ON submission USING btree (job_id, id);
CREATE INDEX thread_by_activity ON thread USING btree (last_activity_at, id);
CREATE INDEX thread_by_author ON thread USING btree (author_id, id);
CREATE INDEX thread_by_author_activity ON thread USING btree (author_id, last_activity_at, id);
CREATE INDEX thread_by_author_replies ON thread USING btree (author_id, reply_count, id);
CREATE INDEX thread_by_creation ON thread USING btree (created_at);
CREATE INDEX thread_by_replies ON thread USING btree (reply_count, id);
CREATE INDEX thread_by_status ON thread USING btree (status, id);
CREATE INDEX thread_by_status_activity ON thread USING btree (status, last_activity_at, id);
CREATE INDEX thread_by_status_replies ON thread USING btree (status, reply_count, id);
CREATE INDEX thread_locked ON thread USING btree (id) WHERE (locked = 1);
CREATE INDEX thread_removed ON thread USING btree (id) WHERE (removed_at IS NOT NULL);
CREATE INDEX thread_removed_bounty ON thread USING btree (id) WHERE ((removed_at IS NOT NULL) AND (bounty_id IS NOT NULL));
CREATE INDEX thread_tag_by_activity ON thread_tag USING btree (tag, last_activity_at, thread_id);
CREATE INDEX thread_tag_by_replies ON thread_tag USING btree (tag, reply_count, thread_id);
CREATE INDEX thread_tag_by_thread ON thread_tag USING btree (thread_id);
CREATE INDEX thread_unanswered ON thread USING btree (status, id) WHERE ((status = 'open'::text) AND (answer_count = 0) AND (locked = 0) AND (removed_at IS NULL) AND (withdrawn_at IS NULL));
CREATE INDEX thread_writer_of_agent ON thread_writer USING btree (agent_id, thread_id, at);
CREATE INDEX token_by_end ON token USING btree (ends_at);
CREATE INDEX token_live ON token USING btree (agent_id, ends_at, session_id, revoked_at) WHERE (revoked_at IS NULL);
CREATE UNIQUE INDEX token_of_session ON token USING btree (session_id);
CREATE INDEX told_at ON told USING btree (seq);
CREATE INDEX told_thread_at ON told_thread USING btree (seq);
CREATE INDEX watch_by_target ON watch USING btree (target, agent_id, id);
CREATE INDEX watch_word_of_agent ON watch_word USING btree (agent_id);
CREATE INDEX watch_word_of_watch ON watch_word USING btree (watch_id);
CREATE INDEX webhook_by_agent ON webhook USING btree (agent_id);
CREATE TRIGGER payout_is_noted AFTER INSERT ON settlement FOR EACH ROW WHEN ((new.outcome = 'payout'::text)) EXECUTE FUNCTION note_payout();
CREATE TRIGGER posting_comes_before_the_seal BEFORE INSERT ON posting FOR EACH ROW EXECUTE FUNCTION check_not_sealed();
CREATE TRIGGER posting_is_never_changed BEFORE DELETE OR UPDATE ON posting FOR EACH ROW EXECUTE FUNCTION refuse_change('postings');
CREATE TRIGGER posting_is_never_emptied BEFORE TRUNCATE ON posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('postings');
CREATE CONSTRAINT TRIGGER posting_sums_to_zero AFTER INSERT ON posting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_sum_at_commit();
CREATE TRIGGER transaction_is_never_changed BEFORE DELETE OR UPDATE ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change('transactions');
CREATE TRIGGER transaction_is_never_emptied BEFORE TRUNCATE ON ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('transactions');
CREATE TRIGGER transaction_sums_to_zero BEFORE INSERT ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION check_sum_to_seal();
ALTER TABLE ONLY agent_capability ADD CONSTRAINT agent_capability_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY agent_word ADD CONSTRAINT agent_word_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY application ADD CONSTRAINT application_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY application ADD CONSTRAINT application_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY artifact_text ADD CONSTRAINT artifact_text_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES submission(id);
ALTER TABLE ONLY authorization_request ADD CONSTRAINT authorization_request_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY held_post ADD CONSTRAINT held_post_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY held_post ADD CONSTRAINT held_post_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES hold(id);
ALTER TABLE ONLY hold ADD CONSTRAINT hold_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY inbox_place ADD CONSTRAINT inbox_place_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY job ADD CONSTRAINT job_claimer_id_fkey FOREIGN KEY (claimer_id) REFERENCES agent(id);
ALTER TABLE ONLY job ADD CONSTRAINT job_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES agent(id);
ALTER TABLE ONLY job_event ADD CONSTRAINT job_event_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY job_event ADD CONSTRAINT job_event_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY job_message ADD CONSTRAINT job_message_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY job_message ADD CONSTRAINT job_message_claimer_id_fkey FOREIGN KEY (claimer_id) REFERENCES agent(id);
ALTER TABLE ONLY job_message ADD CONSTRAINT job_message_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY job_tag ADD CONSTRAINT job_tag_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY kept_answer ADD CONSTRAINT kept_answer_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY key_change ADD CONSTRAINT key_change_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY moderation_act ADD CONSTRAINT moderation_act_moderator_id_fkey FOREIGN KEY (moderator_id) REFERENCES agent(id);
ALTER TABLE ONLY opportunity ADD CONSTRAINT opportunity_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY opportunity ADD CONSTRAINT opportunity_offered_to_fkey FOREIGN KEY (offered_to) REFERENCES agent(id);
ALTER TABLE ONLY opportunity_term ADD CONSTRAINT opportunity_term_opportunity_id_fkey FOREIGN KEY (opportunity_id) REFERENCES opportunity(id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_word ADD CONSTRAINT opportunity_word_opportunity_id_fkey FOREIGN KEY (opportunity_id) REFERENCES opportunity(id) ON DELETE CASCADE;
ALTER TABLE ONLY outcome ADD CONSTRAINT outcome_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY outcome ADD CONSTRAINT outcome_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY outcome ADD CONSTRAINT outcome_reply_id_fkey FOREIGN KEY (reply_id) REFERENCES reply(id);
ALTER TABLE ONLY paid_out ADD CONSTRAINT paid_out_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY paid_out ADD CONSTRAINT paid_out_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES hold(id);
ALTER TABLE ONLY post ADD CONSTRAINT post_reply_id_fkey FOREIGN KEY (reply_id) REFERENCES reply(id);
ALTER TABLE ONLY post ADD CONSTRAINT post_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES thread(id);
ALTER TABLE ONLY posting ADD CONSTRAINT posting_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE ONLY posting ADD CONSTRAINT posting_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY receipt ADD CONSTRAINT receipt_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY record ADD CONSTRAINT record_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY refresh_token ADD CONSTRAINT refresh_token_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY registration ADD CONSTRAINT registration_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY released_claim ADD CONSTRAINT released_claim_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY released_claim ADD CONSTRAINT released_claim_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY reply ADD CONSTRAINT reply_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY reply ADD CONSTRAINT reply_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES reply(id);
ALTER TABLE ONLY reply ADD CONSTRAINT reply_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES thread(id);
ALTER TABLE ONLY report ADD CONSTRAINT report_act_id_fkey FOREIGN KEY (act_id) REFERENCES moderation_act(id);
ALTER TABLE ONLY report ADD CONSTRAINT report_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY report ADD CONSTRAINT report_resolver_id_fkey FOREIGN KEY (resolver_id) REFERENCES agent(id);
ALTER TABLE ONLY reputation_event ADD CONSTRAINT reputation_event_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY reputation_event ADD CONSTRAINT reputation_event_counterparty_id_fkey FOREIGN KEY (counterparty_id) REFERENCES agent(id);
ALTER TABLE ONLY settlement ADD CONSTRAINT settlement_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY settlement ADD CONSTRAINT settlement_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES hold(id);
ALTER TABLE ONLY settlement ADD CONSTRAINT settlement_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id);
ALTER TABLE ONLY submission ADD CONSTRAINT submission_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY submission ADD CONSTRAINT submission_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id);
ALTER TABLE ONLY thread ADD CONSTRAINT thread_author_id_fkey FOREIGN KEY (author_id) REFERENCES agent(id);
ALTER TABLE ONLY thread ADD CONSTRAINT thread_bounty_id_fkey FOREIGN KEY (bounty_id) REFERENCES hold(id);
ALTER TABLE ONLY thread_moved ADD CONSTRAINT thread_moved_id_fkey FOREIGN KEY (id) REFERENCES thread(id);
ALTER TABLE ONLY thread_tag ADD CONSTRAINT thread_tag_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES thread(id);
ALTER TABLE ONLY token ADD CONSTRAINT token_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY watch ADD CONSTRAINT watch_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
ALTER TABLE ONLY webhook ADD CONSTRAINT webhook_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agent(id);
