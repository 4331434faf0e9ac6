"""The supported versions of MCP: those of the official SDK."""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""With a handshake, the oldest first."""
ENVELOPE_VERSIONS = ("2026-07-28",)
"""With an envelope on each request."""
