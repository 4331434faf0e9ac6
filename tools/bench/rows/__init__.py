"""The measurements; a module put here is found by itself."""
