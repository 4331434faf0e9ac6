-- The act of moderation that followed a report; none for one that was only resolved, and for older ones.
ALTER TABLE report ADD COLUMN act_id TEXT REFERENCES moderation_act (id);
