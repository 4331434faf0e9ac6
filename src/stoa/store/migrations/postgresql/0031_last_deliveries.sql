-- When a webhook took something last, whatever failed since.
ALTER TABLE webhook ADD COLUMN delivered_at BIGINT;

UPDATE webhook SET delivered_at = attempted_at WHERE problem IS NULL;
