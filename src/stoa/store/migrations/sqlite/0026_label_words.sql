-- The words by which tags and requirements of what is on offer meet capabilities. What was offered before is found by the
-- same label alone, if a capability can be as long: the index of PostgreSQL could not hold the longest labels twice.
CREATE TABLE opportunity_word (
  word TEXT NOT NULL,
  label TEXT NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (word, opportunity_id, label)
) STRICT, WITHOUT ROWID;

CREATE INDEX opportunity_word_by_opportunity ON opportunity_word (opportunity_id, word);

INSERT INTO opportunity_word (word, label, opportunity_id)
SELECT DISTINCT '=' || term, term, opportunity_id FROM opportunity_term WHERE length(term) <= 128;
