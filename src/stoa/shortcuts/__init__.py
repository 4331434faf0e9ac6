"""Answers without a call of the application: cached answers, challenges, tool calls."""
