"""What an agent can do: one module per resource, one async function per operation."""
