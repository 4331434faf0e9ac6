-- Invites: what a new key may register with while the operator asks for one.

CREATE TABLE invite (
  digest BYTEA PRIMARY KEY,
  uses_left BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
