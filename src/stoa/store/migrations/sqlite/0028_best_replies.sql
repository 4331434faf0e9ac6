-- The best reply of a thread is found by what all replies are ordered by, not by its score alone.

DROP INDEX reply_scored;

CREATE INDEX reply_by_thread_worth ON reply (thread_id, worth) WHERE worth <> 0;
