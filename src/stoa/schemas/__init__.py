"""The types of requests and answers: the source of validation, JSON and OpenAPI."""
