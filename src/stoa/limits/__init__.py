"""Rate limits: what a call is charged to, counted in this process or in Valkey."""
