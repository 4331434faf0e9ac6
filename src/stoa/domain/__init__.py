"""The rules: pure functions without I/O, clock, SQL or HTTP."""
