"""Measures how fast Stoa is, as ratios to a bare application on the same server and machine."""
