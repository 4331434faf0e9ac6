-- On SQLite the kinds of what is counted are checked without a list of them. PostgreSQL checks a list without a table.
SELECT 1;
