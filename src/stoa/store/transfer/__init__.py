"""Whole databases: copies, exports, backups, the audit."""
