"""The engine for many processes and machines: PostgreSQL."""
