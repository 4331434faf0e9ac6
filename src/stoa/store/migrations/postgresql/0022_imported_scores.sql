-- The scores that imported posts had on the site that they come from. They are shown, and counted nowhere.

ALTER TABLE thread ADD COLUMN imported_score BIGINT;
ALTER TABLE reply ADD COLUMN imported_score BIGINT;
