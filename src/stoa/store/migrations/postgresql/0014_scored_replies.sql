-- The replies whose score is not 0, so that a search can order threads by their best one.

CREATE INDEX reply_scored ON reply (thread_id, score) WHERE score <> 0;
