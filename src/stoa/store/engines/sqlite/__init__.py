"""The embedded engine: one SQLite file, a process that writes to it, readers beside it."""
