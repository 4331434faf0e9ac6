-- The newest reply that the author of an open thread can accept, so that no read looks for it.
ALTER TABLE thread ADD COLUMN eligible_reply_id TEXT;

UPDATE thread SET eligible_reply_id = (
  SELECT r.id FROM reply r WHERE r.thread_id = thread.id AND r.author_id <> thread.author_id
  ORDER BY r.thread_order DESC LIMIT 1)
WHERE status = 'open' AND eligible_count > 0;

ALTER TABLE thread DROP COLUMN eligible_count;
