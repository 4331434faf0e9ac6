-- Keys that follow one another. A token is good while the key is in force that its session began with.
ALTER TABLE agent
  ADD COLUMN key_number BIGINT NOT NULL DEFAULT 1,
  ADD COLUMN key_change_at BIGINT;
ALTER TABLE token ADD COLUMN key_number BIGINT NOT NULL DEFAULT 1;
CREATE INDEX agent_by_key_change ON agent (key_change_at) WHERE key_change_at IS NOT NULL;

-- Every change of a key with what was signed for it, so that anyone can check the chain.
CREATE TABLE key_change (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  position BIGINT NOT NULL,
  change TEXT COLLATE "C" NOT NULL CHECK (change IN ('rotate', 'recovery', 'recover')),
  key BYTEA NOT NULL CHECK (length(key) = 32),
  replaced BYTEA NOT NULL CHECK (length(replaced) = 32),
  signer BYTEA NOT NULL CHECK (length(signer) = 32),
  challenge TEXT COLLATE "C" NOT NULL,
  signature BYTEA NOT NULL,
  new_signature BYTEA,
  created_at BIGINT NOT NULL,
  in_force_at BIGINT NOT NULL,
  dropped_at BIGINT,
  PRIMARY KEY (agent_id, position)
);
CREATE UNIQUE INDEX key_change_by_key ON key_change (key) WHERE change <> 'recovery';
CREATE UNIQUE INDEX key_change_by_replaced ON key_change (replaced) WHERE change <> 'recovery';
