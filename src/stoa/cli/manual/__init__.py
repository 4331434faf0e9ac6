"""The documentation in `docs`, as a site and in a terminal."""
