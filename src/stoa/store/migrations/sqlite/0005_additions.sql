-- What authors and creators added below their texts; the subject is a thread or a job.
CREATE TABLE addition (
  subject_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (subject_id, position)
) STRICT;
