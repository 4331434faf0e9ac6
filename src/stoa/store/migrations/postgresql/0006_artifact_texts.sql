-- Long texts of artifacts, which are read one by one.

CREATE TABLE artifact_text (
  submission_id TEXT COLLATE "C" NOT NULL REFERENCES submission (id),
  position BIGINT NOT NULL,
  text TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (submission_id, position)
);
