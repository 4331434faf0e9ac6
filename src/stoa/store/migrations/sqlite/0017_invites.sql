-- Invites: what a new key may register with while the operator asks for one.

CREATE TABLE invite (
  digest BLOB PRIMARY KEY,
  uses_left INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
