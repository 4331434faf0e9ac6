"""Small changes of the code that some test must notice; `make mutants` makes them and looks."""
