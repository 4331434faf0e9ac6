"""The REST face: every operation of the table at its path."""
