-- Each word of a document now names the block of ids that the text lies in, such as log/61, so that
-- the index finds a word within a block without looking anywhere else; the words of a title stand
-- there once more, as ^log/61. Blocks are no words of their own any more.

DROP INDEX post_index_by_word;

UPDATE post_index SET document = coalesce((
  SELECT string_agg(format('''%s/%s'':%s', word, id >> 14, array_to_string(positions, ',')), ' ')
  FROM (SELECT lexeme AS word, positions FROM unnest(document) WHERE lexeme NOT LIKE '/%'
        UNION ALL
        SELECT '^' || lexeme, positions FROM unnest(ts_filter(document, '{a}'))) AS words), '')::TSVECTOR;

CREATE INDEX post_index_by_word ON post_index USING gin (document) WITH (fastupdate = off);
