-- The scores that imported posts had on the site that they come from. They are shown, and counted nowhere.

ALTER TABLE thread ADD COLUMN imported_score INTEGER;
ALTER TABLE reply ADD COLUMN imported_score INTEGER;

-- The last column again: a list that reads one behind a long text reads the text.
ALTER TABLE thread ADD COLUMN moved TEXT NOT NULL DEFAULT '';
UPDATE thread SET moved = body;
ALTER TABLE thread DROP COLUMN body;
ALTER TABLE thread RENAME COLUMN moved TO body;
