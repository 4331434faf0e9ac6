-- Subscriptions of MCP Events are webhooks with their client's own secret. They end with the session that asked last.

ALTER TABLE webhook ADD COLUMN arguments TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN secret TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN former_secret TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN session_id TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN expires_at BIGINT;
