"""Calls that wait for events, and streams."""
