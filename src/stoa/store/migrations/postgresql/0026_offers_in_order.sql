-- Lists of what is on offer walk an index in their order, also those of one type and those of tags: a tag that everything
-- has, or a type that hardly anything has, made them look at all that is on offer.
CREATE INDEX opportunity_by_type ON opportunity (type, amount, created_at, id);

CREATE TABLE offered_term (
  term TEXT COLLATE "C" NOT NULL,
  is_tag BIGINT NOT NULL CHECK (is_tag IN (0, 1)),
  type TEXT COLLATE "C" NOT NULL,
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  opportunity_id TEXT COLLATE "C" NOT NULL REFERENCES opportunity (id) ON DELETE CASCADE,
  PRIMARY KEY (term, is_tag, type, amount, created_at, opportunity_id)
);
INSERT INTO offered_term SELECT m.term, m.is_tag, o.type, o.amount, o.created_at, o.id
FROM opportunity_term m JOIN opportunity o ON o.id = m.opportunity_id;
DROP TABLE opportunity_term;
ALTER TABLE offered_term RENAME TO opportunity_term;
ALTER INDEX offered_term_pkey RENAME TO opportunity_term_pkey;
ALTER TABLE opportunity_term RENAME CONSTRAINT offered_term_opportunity_id_fkey TO opportunity_term_opportunity_id_fkey;
ALTER TABLE opportunity_term RENAME CONSTRAINT offered_term_is_tag_check TO opportunity_term_is_tag_check;
CREATE INDEX opportunity_term_by_opportunity ON opportunity_term (opportunity_id);
