"""Background tasks: due refunds, clean-up and the audit."""
