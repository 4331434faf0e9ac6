"""The A2A face: work is hired and judged as tasks, through the operations of the table."""
