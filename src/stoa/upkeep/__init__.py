"""What the server does without being asked: refunds that are due, clean-up, the audit."""
