-- What a reputation counts is counted by indexes that hold no more than that: all claims and events of an agent were looked
-- up one by one.
CREATE INDEX job_expired_by_claimer ON job (claimer_id, expired_from)
  WHERE claimer_id IS NOT NULL AND expired_from IS NOT NULL;
CREATE INDEX job_expired_by_creator ON job (creator_id, expired_from) WHERE expired_from IS NOT NULL;
CREATE INDEX reputation_event_by_parties ON reputation_event (agent_id, counterparty_id, type);
