-- Each commit adds a segment to the full-text index. Four of a size were merged, and sixteen at once, so that
-- what was posted in small groups was written eight times over. Now these are sixteen and sixty-four;
-- `search.merge` merges a part more once a second.
INSERT INTO post_index (post_index, rank) VALUES ('automerge', 16);
INSERT INTO post_index (post_index, rank) VALUES ('crisismerge', 64);
