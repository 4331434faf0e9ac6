-- The index of texts keeps their words as they follow each other, and no longer with their places: less
-- to read for each text, and words that stand side by side are found as one piece of text. The number
-- of the block that a text lies in, now of 4,096, is put behind each word for the index alone.

-- Each word of a text as the index has it, such as log/245.
CREATE FUNCTION indexed_words(words TEXT, id BIGINT) RETURNS TSVECTOR
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(
  SELECT word || '/' || (id >> 12) FROM unnest(string_to_array(words, ' ')) word WHERE word <> ''));

DROP INDEX post_index_by_word;
ALTER TABLE post_index RENAME TO old_index;
ALTER INDEX post_index_pkey RENAME TO old_index_pkey;
-- A space before and behind each word, and two between the title and the body. Replies have no title.
CREATE TABLE post_index (
  id BIGINT PRIMARY KEY,
  title TEXT COLLATE "C",
  words TEXT COLLATE "C" NOT NULL
);

INSERT INTO post_index
SELECT i.id, t.words, coalesce(t.words, '') || coalesce(b.words, '')
FROM old_index i
CROSS JOIN LATERAL (
  SELECT ' ' || string_agg(split_part(substr(lexeme, 2), '/', 1), ' ' ORDER BY place) || ' ' AS words,
         coalesce(max(place), 0) AS last
  FROM unnest(i.document), unnest(positions) place WHERE lexeme LIKE '^%') t
CROSS JOIN LATERAL (
  SELECT ' ' || string_agg(split_part(lexeme, '/', 1), ' ' ORDER BY place) || ' ' AS words
  FROM unnest(i.document), unnest(positions) place WHERE lexeme NOT LIKE '^%' AND place > t.last) b;

DROP TABLE old_index;

-- Without a list of pending entries, which every one of the many look-ups of a search would read.
CREATE INDEX post_index_by_word ON post_index USING gin (indexed_words(words, id)) WITH (fastupdate = off);
-- How common words are does not matter: each search looks at one block after the other.
ALTER INDEX post_index_by_word ALTER COLUMN 1 SET STATISTICS 0;
