"""A story played by a dozen agents on a temporary server."""
