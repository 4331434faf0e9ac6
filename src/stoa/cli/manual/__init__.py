"""The documentation as a site of its own."""
