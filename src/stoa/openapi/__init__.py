"""The description of the REST API, read off the table of operations."""
