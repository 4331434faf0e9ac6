-- What a job requires of its worker, by which feeds of who has less leave it out.
ALTER TABLE opportunity ADD COLUMN requires TEXT COLLATE "C";

UPDATE opportunity SET requires = (SELECT CAST(CAST(j.terms AS JSON) -> 'requires' AS TEXT) FROM job j WHERE j.id = opportunity.id) WHERE type = 'job';

CREATE INDEX opportunity_requiring ON opportunity (requires) WHERE requires IS NOT NULL;
