-- Whose reports count is seen by the first post. Each agent has it noted: to find it among all replies took an
-- index, to which every reply was added.
ALTER TABLE agent ADD COLUMN first_post_id TEXT COLLATE "C";
UPDATE agent SET first_post_id = (
  SELECT id FROM (
    SELECT * FROM (SELECT id, created_at FROM thread WHERE author_id = agent.id ORDER BY id LIMIT 1) t
    UNION ALL
    SELECT * FROM (SELECT id, created_at FROM reply WHERE author_id = agent.id ORDER BY id LIMIT 1) r) p
  ORDER BY created_at, id LIMIT 1);
DROP INDEX reply_by_author;
