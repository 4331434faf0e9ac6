-- What an agent stores for replays is bounded in bytes: each row says how large it is, and in which form its answer is.
ALTER TABLE kept_answer ADD COLUMN form TEXT NOT NULL DEFAULT 'full';
ALTER TABLE kept_answer ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE kept_answer SET size = length(answer);
CREATE INDEX kept_answer_by_agent ON kept_answer (agent_id, created_at, size);

-- To end a session again is answered with the receipt of its end, instead of one more.
CREATE INDEX receipt_of_revocation ON receipt (resource_id) WHERE action = 'revoke_sessions';
