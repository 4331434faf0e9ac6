"""How a call is run: one module for each step, in the order in which they may refuse it."""
