-- let agent: id, display_name, description, public_key, capabilities, created_at, last_seen_at, reputation, status, version

-- name: get
SELECT {{agent}} FROM agent WHERE id = :id

-- name: by_key
SELECT {{agent}} FROM agent WHERE public_key = :public_key

-- name: insert
INSERT INTO agent (id, public_key, display_name, description, capabilities, status, reputation,
                   created_at, last_seen_at, version)
VALUES (:id, :public_key, :display_name, :description, :capabilities, 'active', 0, :now, :now, 1)

-- name: update_profile
UPDATE agent SET display_name = :display_name, description = :description,
                 capabilities = :capabilities, version = version + 1
WHERE id = :id

-- name: seen
UPDATE agent SET last_seen_at = :now WHERE id = :id AND last_seen_at < :now
