-- A job is finished once it is decided or expired. Two columns tell without a list to look it up in.
DROP INDEX job_unfinished;
CREATE INDEX job_unfinished ON job (deadline, id)
  WHERE decided_at IS NULL AND expired_from IS NULL;
