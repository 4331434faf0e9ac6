-- let link: c.change, c.key, c.replaced, c.signer, c.created_at, c.in_force_at, c.dropped_at, c.challenge, c.signature, c.new_signature

-- name: of_agent
SELECT {{link}} FROM key_change c WHERE c.agent_id = :agent_id ORDER BY c.position

-- Whose key this was or will be, beside the keys in force.
-- name: owner
SELECT agent_id FROM key_change WHERE change <> 'recovery' AND key = :key
UNION ALL SELECT agent_id FROM key_change WHERE change <> 'recovery' AND replaced = :key
LIMIT 1

-- name: insert
INSERT INTO key_change (agent_id, position, change, key, replaced, signer, challenge, signature,
                        new_signature, created_at, in_force_at)
VALUES (:agent_id, (SELECT count(*) + 1 FROM key_change WHERE agent_id = :agent_id), :change, :key,
        :replaced, :signer, :challenge, :signature, :new_signature, :now, :in_force_at)

-- name: drop_begun
UPDATE key_change SET dropped_at = :now
WHERE agent_id = :agent_id AND in_force_at > :now AND dropped_at IS NULL

-- name: put_in_force
UPDATE agent SET public_key = :key, key_number = key_number + 1, key_change_at = NULL,
                 version = version + 1
WHERE id = :agent_id

-- name: announce
UPDATE agent SET key_change_at = :at, version = version + 1 WHERE id = :agent_id

-- name: due
SELECT id FROM agent WHERE key_change_at <= :now ORDER BY key_change_at LIMIT :most
