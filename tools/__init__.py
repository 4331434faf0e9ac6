"""What developers run: measures, drills, mutants, the generators of clients and reference."""
