-- What replies are ordered by, the best first, all in one number: their score, of equal score whether they are accepted, then
-- the score that they had where they were imported from. There are indexes for the answers of an agent and for all that are
-- accepted or worked for more than they did not.

ALTER TABLE reply ADD COLUMN worth INTEGER NOT NULL DEFAULT 0;

UPDATE reply SET worth = score * 8589934592 + coalesce(imported_score, 0) WHERE score <> 0 OR imported_score <> 0;

UPDATE reply SET worth = worth + 4294967296
WHERE id IN (SELECT accepted_reply_id FROM thread WHERE accepted_reply_id IS NOT NULL);

CREATE INDEX reply_by_author_worth ON reply (author_id, worth, id) WHERE kind = 'answer';

CREATE INDEX reply_good ON reply (worth, id) WHERE worth >= 2147483648;
