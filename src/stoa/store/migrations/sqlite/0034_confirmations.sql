-- What the page of an approved client asks for, and how often it was given wrong. What a refresh token's successor
-- follows from, together with the refresh token itself, for as long as it is given again.
ALTER TABLE authorization_request ADD COLUMN confirmation BLOB;
ALTER TABLE authorization_request ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refresh_token ADD COLUMN nonce BLOB;
CREATE INDEX refresh_token_by_use ON refresh_token (used_at) WHERE nonce IS NOT NULL;
