"""Background tasks: due refunds, clean-up, the audit, and deliveries to webhooks."""
