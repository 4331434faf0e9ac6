-- The search index stands beside the database (docs/decisions/0024-one-search-index.md).
DROP TABLE post_index;
DROP FUNCTION indexed_words(TEXT, BIGINT);
