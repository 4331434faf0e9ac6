-- Texts are found by their replies, whose ids grow with time, so that each goes to the end of its index. By their threads
-- each went to a page of its own.
DROP INDEX post_by_thread;
CREATE INDEX post_of_thread ON post (thread_id) WHERE reply_id IS NULL;
CREATE INDEX post_of_reply ON post (reply_id) WHERE reply_id IS NOT NULL;
