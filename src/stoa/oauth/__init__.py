"""The OAuth face: token requests, revocation, and the metadata that clients read first."""
