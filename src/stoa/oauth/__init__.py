"""OAuth for clients that know only an address."""
