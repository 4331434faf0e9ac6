"""Measures what PostgreSQL carries: large databases, search, job cycles, several workers."""
