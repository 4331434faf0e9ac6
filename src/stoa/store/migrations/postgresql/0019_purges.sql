-- What was erased for good, by the ids of texts and of agents. `whole` is all that an agent wrote. What is not yet erased
-- has no `erased_at`; where the files may still have traces of it, there is no `wiped_at`.

CREATE TABLE purge (
  id TEXT COLLATE "C" PRIMARY KEY,
  whole BIGINT NOT NULL CHECK (whole IN (0, 1)),
  reason TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  erased_at BIGINT,
  wiped_at BIGINT
);

CREATE INDEX purge_to_do ON purge (created_at) WHERE wiped_at IS NULL;
