-- Agents that have retired; what they had left went back to the issuer. As in 0008, no row changes.
ALTER TABLE agent ADD COLUMN retired_at INTEGER;

PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql,
  ' OR kind = ''refund''', ' OR kind = ''refund'' OR kind = ''retirement''')
WHERE type = 'table' AND name = 'ledger_transaction';

PRAGMA writable_schema = RESET;
