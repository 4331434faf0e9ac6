"""Measures what PostgreSQL carries: large databases and search."""
