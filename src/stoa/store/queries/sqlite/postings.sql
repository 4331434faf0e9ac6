-- The newest texts that have something, the newest first, as a JSON array of numbers.
-- name: newest_with
SELECT json_group_array(i.id) FROM (
  SELECT rowid AS id FROM post_index
  WHERE post_index MATCH :match AND rowid <= :newest ORDER BY rowid DESC LIMIT :most) i

-- The new texts that have any of several things.
-- name: new_with
SELECT m.key, json_group_array(i.rowid) FROM json_each(:matches) m CROSS JOIN post_index i
WHERE m.value IS NOT NULL AND i.post_index MATCH m.value AND i.rowid BETWEEN :after + 1 AND :newest
GROUP BY m.key

-- Whose some texts are, as far as these are found at all.
-- name: whose
SELECT p.id, p.thread_id, p.reply_id FROM json_each(:numbers) n CROSS JOIN post p
WHERE p.id = n.value AND EXISTS (SELECT 1 FROM post_index_docsize i WHERE i.id = p.id)
