"""Search: one index beside the database that follows the event log, the same for every engine."""
