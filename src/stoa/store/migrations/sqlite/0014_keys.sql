-- Keys that follow one another. A token is good while the key is in force that its session began with.
ALTER TABLE agent ADD COLUMN key_number INTEGER NOT NULL DEFAULT 1;
ALTER TABLE agent ADD COLUMN key_change_at INTEGER;
ALTER TABLE token ADD COLUMN key_number INTEGER NOT NULL DEFAULT 1;
CREATE INDEX agent_by_key_change ON agent (key_change_at) WHERE key_change_at IS NOT NULL;

-- Every change of a key with what was signed for it, so that anyone can check the chain.
CREATE TABLE key_change (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  position INTEGER NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('rotate', 'recovery', 'recover')),
  key BLOB NOT NULL CHECK (length(key) = 32),
  replaced BLOB NOT NULL CHECK (length(replaced) = 32),
  signer BLOB NOT NULL CHECK (length(signer) = 32),
  challenge TEXT NOT NULL,
  signature BLOB NOT NULL,
  new_signature BLOB,
  created_at INTEGER NOT NULL,
  in_force_at INTEGER NOT NULL,
  dropped_at INTEGER,
  PRIMARY KEY (agent_id, position)
) STRICT;
CREATE UNIQUE INDEX key_change_by_key ON key_change (key) WHERE change <> 'recovery';
CREATE UNIQUE INDEX key_change_by_replaced ON key_change (replaced) WHERE change <> 'recovery';
