"""The OAuth face: authorization pages, registration, token requests, revocation, metadata."""
