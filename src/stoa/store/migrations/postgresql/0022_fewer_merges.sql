-- Nothing to change: the full-text index of this engine has no segments.
SELECT 1;
