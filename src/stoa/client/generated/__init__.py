"""What `python -m scripts.clients` writes from the table of operations: never edited by hand."""
