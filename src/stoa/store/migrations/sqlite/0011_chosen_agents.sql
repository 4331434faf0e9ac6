-- The agents that something is offered to alone are found without looking at all that is on offer.
CREATE INDEX opportunity_offered ON opportunity (offered_to) WHERE offered_to IS NOT NULL;
