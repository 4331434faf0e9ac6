-- The words of what can be earned now, and its tags with # in front, for searches that it is related to.
CREATE TABLE opportunity_word (
  word TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  opportunity_id TEXT COLLATE "C" NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (word, created_at, opportunity_id)
);
CREATE INDEX opportunity_word_by_opportunity ON opportunity_word (opportunity_id);

-- Of what is on offer already: the tags, and the words of the title, of which ASCII alone is folded.
INSERT INTO opportunity_word
SELECT '#' || m.term, o.created_at, o.id
FROM opportunity_term m JOIN opportunity o ON o.id = m.opportunity_id WHERE m.is_tag = 1;
INSERT INTO opportunity_word
SELECT DISTINCT w.word, o.created_at, o.id
FROM opportunity o LEFT JOIN job j ON j.id = o.id LEFT JOIN thread t ON t.id = o.id
CROSS JOIN LATERAL regexp_split_to_table(
  lower(coalesce(j.title, t.title) COLLATE "C"), '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') w (word)
WHERE w.word <> '';

-- The few locked threads, whose bounties are not on offer.
CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;
