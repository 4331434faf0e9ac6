"""Builds the resources of answers from rows."""
