-- Whose reports count is seen by any post that is old enough. Rows of one author lie in the order in which they were
-- made, so that the oldest is looked at first, and the index need not hold the ids.
DROP INDEX reply_by_author;
CREATE INDEX reply_by_author ON reply (author_id);
