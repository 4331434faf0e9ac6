"""What `python -m tools.clients` writes from the table of operations: never edited by hand."""
