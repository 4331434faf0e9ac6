-- Which keys an agent has follows from the newest changes of each kind that were not dropped, and not from all that ever were.
CREATE INDEX key_change_by_kind ON key_change (agent_id, change, position) WHERE dropped_at IS NULL;
