-- What is counted is checked without `IN`, which SQLite puts into a table in memory for each row.
CREATE TABLE record_new (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  kind TEXT NOT NULL CHECK (kind = 'requester' OR kind = 'worker' OR kind = 'release' OR kind = 'decision'
                       OR kind = 'submission' OR kind = 'bounty'),
  outcome TEXT NOT NULL,
  number INTEGER NOT NULL,
  durations TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (agent_id, kind, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO record_new SELECT agent_id, kind, outcome, number, durations FROM record;
DROP TABLE record;
ALTER TABLE record_new RENAME TO record;
