-- What an agent could earn is looked for by its terms among what is on offer, and not among all that ever was: each offer
-- leads to its events.
DROP INDEX event_of_offer;
CREATE INDEX event_of_offer ON event_log (subject_id) WHERE offer = 1;
