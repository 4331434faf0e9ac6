"""The documentation in `docs`: its pages, and those of them that a server shows."""
