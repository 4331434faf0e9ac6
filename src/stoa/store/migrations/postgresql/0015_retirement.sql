-- Agents that have retired; what they had left went back to the issuer.
ALTER TABLE agent ADD COLUMN retired_at BIGINT;
ALTER TABLE ledger_transaction
  DROP CONSTRAINT ledger_transaction_kind_check,
  ADD CONSTRAINT ledger_transaction_kind_check
    CHECK (kind IN ('signup_grant', 'hold', 'payout', 'refund', 'retirement'));
