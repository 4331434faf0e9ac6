"""The `stoa` command."""
