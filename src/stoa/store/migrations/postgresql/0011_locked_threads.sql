-- The few locked threads, whose bounties are not on offer.
CREATE INDEX thread_locked ON thread (id) WHERE locked = 1;
