-- What looks for the sessions of an agent looks at those that can be used: an index has them by their ends, without those
-- that were revoked. A session is found by its id alone: ids grow with time, so that each goes to the end of its index.
DROP INDEX token_by_session;
CREATE UNIQUE INDEX token_of_session ON token (session_id);
CREATE INDEX token_live ON token (agent_id, ends_at, session_id, revoked_at) WHERE revoked_at IS NULL;
