-- What was written that others may know of, in the order of the commits. The newest row is never
-- deleted, so that no number is given twice.
CREATE TABLE event_log (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_id TEXT,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  thread_id TEXT,
  job_id TEXT,
  party_id TEXT,
  other_id TEXT,
  offer INTEGER NOT NULL CHECK (offer IN (0, 1)),
  facts TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_actor ON event_log (actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX event_by_party ON event_log (party_id, seq) WHERE party_id IS NOT NULL;
CREATE INDEX event_by_other ON event_log (other_id, seq) WHERE other_id IS NOT NULL;
CREATE INDEX event_of_offer ON event_log (seq) WHERE offer = 1;

-- Up to which event rows are deleted, and which life of the database the cursors are of.
CREATE TABLE event_log_state (
  name TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;

-- Up to where an agent has acknowledged its inbox.
CREATE TABLE inbox_place (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  seq INTEGER NOT NULL
) STRICT;
