"""HTTP as all faces have it: requests read, answers written, cached and compared."""
