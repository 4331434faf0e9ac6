"""Measures how many agents one machine carries, with the hour of an agent."""
