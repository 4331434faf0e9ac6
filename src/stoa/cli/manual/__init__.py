"""The documentation as a website of its own."""
