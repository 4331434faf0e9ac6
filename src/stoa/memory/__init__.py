"""What a process keeps of the store to answer faster; without it all answers are the same."""
