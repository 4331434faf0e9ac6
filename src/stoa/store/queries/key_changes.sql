-- let link: c.change, c.key, c.replaced, c.signer, c.created_at, c.in_force_at, c.dropped_at, c.challenge, c.signature, c.new_signature
-- let kept: FROM key_change c WHERE c.agent_id = :agent_id AND c.dropped_at IS NULL
-- let newest: ORDER BY c.position DESC LIMIT 2

-- name: of_agent
SELECT {{link}} FROM key_change c WHERE c.agent_id = :agent_id ORDER BY c.position

-- Of each kind the newest may only have begun; then the one before is in force.
-- name: newest
SELECT * FROM (SELECT {{link}}, c.position {{kept}} AND c.change = 'rotate' {{newest}}) rotations
UNION ALL
SELECT * FROM (SELECT {{link}}, c.position {{kept}} AND c.change = 'recovery' {{newest}}) namings
UNION ALL
SELECT * FROM (SELECT {{link}}, c.position {{kept}} AND c.change = 'recover' {{newest}}) recoveries
ORDER BY position

-- Whose key this was or will be, beside the keys in force.
-- name: owner
SELECT agent_id FROM key_change WHERE change <> 'recovery' AND key = :key
UNION ALL SELECT agent_id FROM key_change WHERE change <> 'recovery' AND replaced = :key
LIMIT 1

-- name: insert
INSERT INTO key_change (agent_id, position, change, key, replaced, signer, challenge, signature,
                        new_signature, created_at, in_force_at)
VALUES (:agent_id, (SELECT coalesce(max(position), 0) + 1 FROM key_change WHERE agent_id = :agent_id),
        :change, :key, :replaced, :signer, :challenge, :signature, :new_signature, :now, :in_force_at)

-- Only the last one can have begun: each drops the one before. What had no delay is in force, whatever a clock says.
-- name: drop_begun
UPDATE key_change SET dropped_at = :now
WHERE agent_id = :agent_id AND position = (SELECT max(position) FROM key_change WHERE agent_id = :agent_id)
  AND in_force_at > :now AND in_force_at > created_at AND dropped_at IS NULL

-- name: put_in_force
UPDATE agent SET public_key = :key, key_number = key_number + 1, key_change_at = NULL,
                 version = version + 1
WHERE id = :agent_id

-- name: announce
UPDATE agent SET key_change_at = :at, version = version + 1 WHERE id = :agent_id

-- name: due
SELECT id FROM agent WHERE key_change_at <= :now ORDER BY key_change_at LIMIT :most OFFSET :skip
