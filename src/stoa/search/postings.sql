-- name: tables
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact (part INTEGER PRIMARY KEY, threads BLOB NOT NULL, times BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS posting (
  part INTEGER NOT NULL, word TEXT NOT NULL, anywhere BLOB NOT NULL, title BLOB NOT NULL,
  PRIMARY KEY (part, word)
) STRICT, WITHOUT ROWID;
-- Most forms of a word are in no text, which so takes one look and not one in each part.
CREATE TABLE IF NOT EXISTS place (word TEXT NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (word, part)) STRICT, WITHOUT ROWID;

-- name: states
SELECT name, value FROM state

-- name: keep
REPLACE INTO state VALUES (?, ?)

-- name: facts
SELECT part, threads, times FROM fact

-- name: keep_facts
REPLACE INTO fact VALUES (?, ?, ?)

-- name: find
SELECT l.word, p.anywhere, p.title FROM json_each(?) j CROSS JOIN place l
LEFT JOIN posting p ON p.part = l.part AND p.word = l.word WHERE l.word = j.value

-- name: posting
SELECT anywhere, title FROM posting WHERE part = ? AND word = ?

-- name: behind
SELECT word, anywhere, title FROM posting WHERE part = ? AND word > ? ORDER BY word LIMIT ?

-- name: put
REPLACE INTO posting VALUES (?, ?, ?, ?)

-- name: place
INSERT INTO place VALUES (?, ?)

-- name: delete
DELETE FROM posting WHERE part = ? AND word = ?

-- name: displace
DELETE FROM place WHERE word = ? AND part = ?
