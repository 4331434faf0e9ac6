-- The words of what can be earned now, and its tags with # in front, for searches that it is related to.
CREATE TABLE opportunity_word (
  word TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (word, created_at, opportunity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opportunity_word_by_opportunity ON opportunity_word (opportunity_id);

-- Of what is on offer already: the tags, and the words of the title, of which ASCII alone is folded.
INSERT INTO opportunity_word
SELECT '#' || m.term, o.created_at, o.id
FROM opportunity_term m JOIN opportunity o ON o.id = m.opportunity_id WHERE m.is_tag = 1;
WITH RECURSIVE letter (id, created_at, rest, word, ended) AS (
  SELECT o.id, o.created_at, lower(coalesce(j.title, t.title)) || ' ', '', ''
  FROM opportunity o LEFT JOIN job j ON j.id = o.id LEFT JOIN thread t ON t.id = o.id
  UNION ALL
  SELECT id, created_at, substr(rest, 2),
         CASE WHEN rest GLOB '[a-z0-9]*' OR unicode(rest) > 127 THEN word || substr(rest, 1, 1) ELSE '' END,
         CASE WHEN rest GLOB '[a-z0-9]*' OR unicode(rest) > 127 THEN '' ELSE word END
  FROM letter WHERE rest <> '')
INSERT INTO opportunity_word SELECT DISTINCT ended, created_at, id FROM letter WHERE ended <> '';

-- The few locked threads, whose bounties are not on offer.
CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;
