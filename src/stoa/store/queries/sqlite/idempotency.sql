-- name: take
-- There is one writer, so no other transaction has the key.
SELECT :id IS NOT NULL

-- name: with_part_{whose}
-- each whose: all = TRUE | own = agent_id = :agent_id
SELECT agent_id, key, answer FROM kept_answer WHERE {{whose}} AND form = 'full' AND instr(answer, :part) > 0
