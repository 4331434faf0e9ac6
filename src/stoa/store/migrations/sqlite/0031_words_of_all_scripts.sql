-- A word keeps the marks of its letters, as most scripts of India and South-East Asia write vowels: the index took words
-- apart there, so that a search found every text with one of their letters. All texts are indexed anew.
DROP TABLE post_index;
CREATE VIRTUAL TABLE post_index USING fts5 (
  title, body, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
INSERT INTO post_index (post_index, rank) VALUES ('automerge', 16);
INSERT INTO post_index (post_index, rank) VALUES ('crisismerge', 64);

INSERT INTO post_index (rowid, title, body)
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN searchable(t.title) ELSE '' END,
  searchable(without_repeats(coalesce(r.body, t.body)))
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE t.removed_at IS NULL AND r.removed_at IS NULL
ORDER BY p.id;
