-- name: tables
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segment (
  id INTEGER PRIMARY KEY, size INTEGER NOT NULL, hashes BLOB NOT NULL,
  numbers BLOB NOT NULL, threads BLOB NOT NULL, times BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS posting (
  segment INTEGER NOT NULL, word TEXT NOT NULL, anywhere BLOB NOT NULL, title BLOB,
  PRIMARY KEY (segment, word)
) STRICT, WITHOUT ROWID;

-- name: state
SELECT value FROM state WHERE name = ?

-- name: keep
REPLACE INTO state VALUES (?, ?)

-- name: segments
SELECT id, size, hashes FROM segment

-- name: facts
SELECT numbers, threads, times FROM segment WHERE id = ?

-- name: find
SELECT p.word, p.anywhere, p.title FROM json_each(?) j CROSS JOIN posting p
WHERE p.segment = j.value ->> 0 AND p.word = j.value ->> 1

-- The word so many behind another in a segment.
-- name: far
SELECT word FROM posting WHERE segment = ? AND word > ? ORDER BY word LIMIT 1 OFFSET ?

-- name: between
SELECT word, anywhere, title FROM posting WHERE segment = ? AND word > ? AND word <= ?

-- name: add_word
INSERT INTO posting VALUES (?, ?, ?, ?)

-- name: add_segment
INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?)

-- name: drop_segment
DELETE FROM segment WHERE id = ?

-- name: last
SELECT max(coalesce((SELECT max(segment) FROM posting), 0), coalesce((SELECT max(id) FROM segment), 0))

-- The next segment of which there are words, listed or not.
-- name: next
SELECT segment FROM posting WHERE segment > ? ORDER BY segment LIMIT 1

-- name: sweep
DELETE FROM posting WHERE segment = ?1
AND word IN (SELECT word FROM posting WHERE segment = ?1 LIMIT ?2)

-- name: clear
DELETE FROM posting; DELETE FROM segment; DELETE FROM state
