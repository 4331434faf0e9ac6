-- Whether a hold has waited for a recovery of its agent: it waits once, so that its latest end is known when it is made.
ALTER TABLE hold ADD COLUMN waited bigint NOT NULL DEFAULT 0 CHECK (waited IN (0, 1));
