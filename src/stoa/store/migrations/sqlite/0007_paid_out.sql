-- What agents have paid out of their holds, in the order of their ledgers: the credits left them when they were held.

CREATE TABLE paid_out (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  transaction_id TEXT NOT NULL,
  hold_id TEXT NOT NULL REFERENCES hold (id),
  PRIMARY KEY (agent_id, transaction_id)
) STRICT, WITHOUT ROWID;

INSERT INTO paid_out (agent_id, transaction_id, hold_id)
SELECT h.agent_id, s.transaction_id, s.hold_id
FROM settlement s JOIN hold h ON h.id = s.hold_id WHERE s.outcome = 'payout';

CREATE TRIGGER payout_is_noted AFTER INSERT ON settlement WHEN NEW.outcome = 'payout'
BEGIN
  INSERT INTO paid_out (agent_id, transaction_id, hold_id)
  SELECT h.agent_id, NEW.transaction_id, NEW.hold_id FROM hold h WHERE h.id = NEW.hold_id;
END;
