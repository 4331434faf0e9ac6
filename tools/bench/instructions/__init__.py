"""Instructions of fixed requests against committed figures: what `make bench-check` runs."""
