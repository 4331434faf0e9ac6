-- Postings belong to the transaction of the database that seals them: what balances by itself, added
-- beside a seal that nobody else can see yet, is refused too.

CREATE OR REPLACE FUNCTION check_sum_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount) FROM posting WHERE transaction_id = NEW.transaction_id) <> 0 THEN
    RAISE EXCEPTION 'the postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_transaction
                 WHERE id = NEW.transaction_id AND xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'another has sealed the transaction' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;
