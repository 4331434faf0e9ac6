"""A story played by a dozen agents on a throw-away server."""
