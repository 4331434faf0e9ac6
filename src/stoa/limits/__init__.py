"""Rate limits: the buckets of calls, counted in this process or in Valkey."""
