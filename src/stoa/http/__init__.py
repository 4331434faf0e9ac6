"""The REST face: decode, call the runner, render."""
