-- name: take
INSERT INTO lease (name, holder, held_until) VALUES (:name, :holder, :held_until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
WHERE lease.holder = excluded.holder OR lease.held_until <= :now

-- name: release
DELETE FROM lease WHERE name = :name AND holder = :holder
