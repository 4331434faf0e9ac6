-- Texts of all scripts are taken apart by one rule: inside Chinese, Japanese, Thai, Khmer, Lao, Burmese and Korean runs too,
-- with words for C++ and node.js, and without vowel points. All texts are indexed anew.
DELETE FROM post_index;
INSERT INTO post_index (rowid, title, body)
SELECT p.id, CASE WHEN p.reply_id IS NULL THEN searchable(t.title) ELSE '' END, searchable(coalesce(r.body, t.body))
FROM post p JOIN thread t ON t.id = p.thread_id LEFT JOIN reply r ON r.id = p.reply_id
WHERE t.removed_at IS NULL AND r.removed_at IS NULL
ORDER BY p.id;
