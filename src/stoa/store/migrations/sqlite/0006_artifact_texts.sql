-- Long texts of artifacts, which are read one by one.

CREATE TABLE artifact_text (
  submission_id TEXT NOT NULL REFERENCES submission (id),
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (submission_id, position)
) STRICT, WITHOUT ROWID;
