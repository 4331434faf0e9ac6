-- What was erased for good, by the ids of texts and of agents. `whole` is all that an agent wrote. What is not yet erased
-- has no `erased_at`; where the files may still have traces of it, there is no `wiped_at`.

CREATE TABLE purge (
  id TEXT PRIMARY KEY,
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  erased_at INTEGER,
  wiped_at INTEGER
) STRICT;

CREATE INDEX purge_to_do ON purge (created_at) WHERE wiped_at IS NULL;
