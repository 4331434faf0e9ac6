"""Caches of one process; without them all answers are the same, but slower."""
