-- let request: r.handle, r.client_id, r.client_name, r.redirect_uri, r.state, r.challenge, r.scopes, r.expires_at, r.agent_id, r.key_number, r.code_expires_at, r.used_at, r.session_id, r.pairing_code, r.confirmation, r.tries

-- name: insert
INSERT INTO authorization_request (handle, pairing_code, client_id, client_name, redirect_uri, state,
                                   challenge, scopes, expires_at)
VALUES (:handle, :pairing_code, :client_id, :client_name, :redirect_uri, :state, :challenge, :scopes,
        :expires_at)
ON CONFLICT DO NOTHING

-- name: get
SELECT {{request}} FROM authorization_request r WHERE r.handle = :handle

-- name: to_approve
SELECT {{request}} FROM authorization_request r
WHERE r.pairing_code = :pairing_code AND r.expires_at > :now AND r.agent_id IS NULL

-- name: approve
UPDATE authorization_request SET agent_id = :approver, key_number = :key_number, expires_at = :expires_at,
                                 confirmation = :confirmation
WHERE handle = :handle AND agent_id IS NULL

-- A try is counted before it is looked at, and a right one taken back: of any number at once no more are looked at.
-- name: count_try
UPDATE authorization_request SET tries = tries + 1
WHERE handle = :handle AND tries < :most AND agent_id IS NOT NULL AND used_at IS NULL AND expires_at > :now

-- name: take_try_back
UPDATE authorization_request SET tries = tries - 1 WHERE handle = :handle

-- name: give_code
UPDATE authorization_request SET code = :code, code_expires_at = :code_expires_at
WHERE handle = :handle AND agent_id IS NOT NULL AND used_at IS NULL AND expires_at > :now

-- name: by_code
SELECT {{request}} FROM authorization_request r WHERE r.code = :code

-- name: use_code
UPDATE authorization_request SET used_at = :now WHERE handle = :handle AND code = :code AND used_at IS NULL

-- name: opened
UPDATE authorization_request SET session_id = :session_id WHERE handle = :handle

-- name: drop_approved
DELETE FROM authorization_request WHERE agent_id = :agent_id AND used_at IS NULL

-- name: forget_all
DELETE FROM authorization_request

-- Behind a lock PostgreSQL looks at the row alone again: it may have been approved, and have a later end.
-- name: forget
DELETE FROM authorization_request WHERE expires_at <= :now AND handle IN (
  SELECT handle FROM authorization_request
  WHERE expires_at <= :now AND (agent_id IS NULL OR expires_at < :before) LIMIT :most)
