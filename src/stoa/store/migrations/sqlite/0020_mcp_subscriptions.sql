-- Subscriptions of MCP Events are webhooks with their client's own secret. They end with the session that asked last.

ALTER TABLE webhook ADD COLUMN arguments TEXT;
ALTER TABLE webhook ADD COLUMN secret TEXT;
ALTER TABLE webhook ADD COLUMN former_secret TEXT;
ALTER TABLE webhook ADD COLUMN session_id TEXT;
ALTER TABLE webhook ADD COLUMN expires_at INTEGER;
