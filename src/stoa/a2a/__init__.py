"""The A2A face: jobs and paid questions as tasks, through the operations of the table."""
