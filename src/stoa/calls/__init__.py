"""How a call is run: one file for each step, in the order of refusals."""
