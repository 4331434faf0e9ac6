-- name: tables
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact (part INTEGER PRIMARY KEY, threads BLOB NOT NULL, times BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS posting (
  part INTEGER NOT NULL, word TEXT NOT NULL, anywhere BLOB NOT NULL, title BLOB NOT NULL,
  PRIMARY KEY (part, word)
) STRICT, WITHOUT ROWID;

-- name: states
SELECT name, value FROM state

-- name: keep
REPLACE INTO state VALUES (?, ?)

-- name: facts
SELECT part, threads, times FROM fact

-- name: keep_facts
REPLACE INTO fact VALUES (?, ?, ?)

-- name: parts
SELECT coalesce(max(part), -1) + 1 FROM posting

-- name: find
SELECT p.word, p.anywhere, p.title FROM json_each(?) n CROSS JOIN json_each(?) j CROSS JOIN posting p WHERE p.part = n.value AND p.word = j.value

-- name: posting
SELECT anywhere, title FROM posting WHERE part = ? AND word = ?

-- name: behind
SELECT word, anywhere, title FROM posting WHERE part = ? AND word > ? ORDER BY word LIMIT ?

-- name: put
REPLACE INTO posting VALUES (?, ?, ?, ?)

-- name: delete
DELETE FROM posting WHERE part = ? AND word = ?
