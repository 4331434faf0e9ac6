"""The metrics of a server, for a listener of their own."""
