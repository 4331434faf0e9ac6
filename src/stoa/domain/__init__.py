"""What is allowed: pure rules without I/O, clock, SQL or HTTP."""
