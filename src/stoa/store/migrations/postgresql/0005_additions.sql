-- What authors and creators added below their texts; the subject is a thread or a job.
CREATE TABLE addition (
  subject_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (subject_id, position)
);
