"""`make screens`: pictures of pages for docs/screens."""
