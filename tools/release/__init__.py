"""Makes a release: dates the changelog, builds the same files twice, and tries them."""
