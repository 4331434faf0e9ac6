-- The program alone lists the types of opportunities. As in 0008, no row changes.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (type IN (''job'', ''bounty_question''))', '')
WHERE type = 'table' AND name = 'opportunity';

PRAGMA writable_schema = RESET;
