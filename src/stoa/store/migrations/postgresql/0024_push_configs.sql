-- Push notifications of A2A are webhooks about one task, with what their client wants in the head of each delivery as the secret.

ALTER TABLE webhook ADD COLUMN task_id TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN config_id TEXT COLLATE "C";
