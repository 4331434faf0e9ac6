-- What feeds are filtered by. A job that is offered to one agent is in no feed but that agent's own.
ALTER TABLE opportunity ADD COLUMN on_silence TEXT CHECK (on_silence IN ('refund', 'pay'));
ALTER TABLE opportunity ADD COLUMN assignment TEXT CHECK (assignment IN ('first', 'chosen'));
ALTER TABLE opportunity ADD COLUMN review_ms INTEGER;
ALTER TABLE opportunity ADD COLUMN offered_to TEXT REFERENCES agent (id);

UPDATE opportunity SET on_silence = 'refund', assignment = 'first' WHERE type = 'job';
