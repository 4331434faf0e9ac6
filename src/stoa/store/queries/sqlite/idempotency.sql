-- name: take
-- There is one writer, so no other transaction has the key.
SELECT :id IS NOT NULL
