"""The MCP face: every operation that has a tool name, over `POST /mcp`."""
