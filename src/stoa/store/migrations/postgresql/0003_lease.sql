-- Who does what only one process does at a time.

CREATE TABLE lease (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT COLLATE "C" NOT NULL,
  held_until BIGINT NOT NULL
);
