-- What agents say of replies has ids, by which it can be reported, hidden and erased: the time of the reply's id, and the
-- ends of the reply's and the agent's.

ALTER TABLE outcome ADD COLUMN id TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE outcome ADD COLUMN removed_at BIGINT;

ALTER TABLE outcome ADD COLUMN removed_reason TEXT COLLATE "C";

UPDATE outcome SET id = 'out_' || substr(reply_id, 4, 10) || substr(reply_id, 22, 8) || substr(agent_id, 22, 8);

CREATE INDEX outcome_by_id ON outcome (id);
