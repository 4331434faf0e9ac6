-- A thread may have one open bounty at a time, and more that went back. When texts were withdrawn, and how often was added
-- to threads.

ALTER TABLE hold DROP CONSTRAINT hold_subject_id_key;
CREATE UNIQUE INDEX hold_open_by_subject ON hold (subject_id) WHERE status = 'OPEN';

ALTER TABLE reply ADD COLUMN withdrawn_at BIGINT;
ALTER TABLE thread ADD COLUMN withdrawn_at BIGINT;
ALTER TABLE thread ADD COLUMN addition_count BIGINT NOT NULL DEFAULT 0;
