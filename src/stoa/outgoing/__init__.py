"""Connects to addresses that agents name, which no other package does, and to the service's own."""
