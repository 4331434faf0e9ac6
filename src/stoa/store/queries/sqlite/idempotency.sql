-- name: take
-- There is one writer, so no other transaction has the key.
SELECT :id IS NOT NULL

-- name: with_part
SELECT agent_id, key, answer FROM kept_answer WHERE agent_id = :agent_id AND form = 'full' AND instr(answer, :part) > 0
