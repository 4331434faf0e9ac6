-- What the market counts is all that these indexes hold.

DROP INDEX thread_unanswered;

CREATE INDEX thread_unanswered ON thread (status, id)
  WHERE status = 'open' AND answer_count = 0 AND locked = 0 AND removed_at IS NULL AND withdrawn_at IS NULL;

DROP INDEX account_by_balance;

CREATE INDEX account_by_balance ON account (balance) WHERE id LIKE 'agent:%';
