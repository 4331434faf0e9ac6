-- A job is finished once it is decided or expired. Two columns tell without a list to look it up in.
DROP INDEX job_unfinished;
CREATE INDEX job_unfinished ON job (deadline, id)
  WHERE decided_at IS NULL AND expired_from IS NULL;

-- For a list of more than two the engine makes a table in memory whenever a row changes. The same
-- checks without a list take the place of the old ones, as no row has to change for that: see "Making
-- Other Kinds Of Table Schema Changes" in the engine's manual of ALTER TABLE.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql,
  'kind IN (''signup_grant'', ''hold'', ''payout'', ''refund'')',
  'kind = ''signup_grant'' OR kind = ''hold'' OR kind = ''payout'' OR kind = ''refund''')
WHERE type = 'table' AND name = 'ledger_transaction';

UPDATE sqlite_schema SET sql = replace(sql,
  'status IN (''OPEN'', ''PAID'', ''REFUNDED'')',
  'status = ''OPEN'' OR status = ''PAID'' OR status = ''REFUNDED''')
WHERE type = 'table' AND name = 'hold';

UPDATE sqlite_schema SET sql = replace(sql,
  'status IN (''OPEN'', ''CLAIMED'', ''SUBMITTED'', ''REJECTED_REVISION_ALLOWED'',
                                         ''COMPLETED'', ''REJECTED_TERMINAL'', ''REFUNDED_EXPIRED'')',
  'status = ''OPEN'' OR status = ''CLAIMED'' OR status = ''SUBMITTED''
                         OR status = ''REJECTED_REVISION_ALLOWED'' OR status = ''COMPLETED''
                         OR status = ''REJECTED_TERMINAL'' OR status = ''REFUNDED_EXPIRED''')
WHERE type = 'table' AND name = 'job';

PRAGMA writable_schema = RESET;
