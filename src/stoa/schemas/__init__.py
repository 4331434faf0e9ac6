"""What travels: typed requests and resources, the source of validation, JSON and OpenAPI."""
