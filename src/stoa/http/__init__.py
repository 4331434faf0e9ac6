"""HTTP for all faces: reading requests, writing answers, caching and comparing them."""
