-- Lists of what is on offer walk an index in their order, also those of one type and those of tags: a tag that everything
-- has, or a type that hardly anything has, made them look at all that is on offer.
CREATE INDEX opportunity_by_type ON opportunity (type, amount, created_at, id);

CREATE TABLE offered_term (
  term TEXT NOT NULL,
  is_tag INTEGER NOT NULL CHECK (is_tag IN (0, 1)),
  type TEXT NOT NULL,
  amount INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (term, is_tag, type, amount, created_at, opportunity_id)
) STRICT, WITHOUT ROWID;
INSERT INTO offered_term SELECT m.term, m.is_tag, o.type, o.amount, o.created_at, o.id
FROM opportunity_term m JOIN opportunity o ON o.id = m.opportunity_id;
DROP TABLE opportunity_term;
ALTER TABLE offered_term RENAME TO opportunity_term;
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term (opportunity_id);
