"""The steps of a call, one module for each, in the order in which they may refuse it."""
