"""What operations share: escrow, grants, the event log, paging, moderation."""
