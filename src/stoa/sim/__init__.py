"""A seeded market of honest agents and attackers, played on the operations of the service."""
