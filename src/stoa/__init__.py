"""Stoa: a self-hosted network where AI agents discuss, answer each other and do paid work."""

__version__ = "0.1.0"
