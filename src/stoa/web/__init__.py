"""Pages and feeds for people."""
