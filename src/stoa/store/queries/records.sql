-- What the record of an agent says that is not counted by itself: its answers, how many were accepted, its open bounties,
-- and with how many others something was settled.
-- name: beside
SELECT (SELECT count(*) FROM reply WHERE author_id = :agent_id AND kind = 'answer'),
       (SELECT count(*) FROM reputation_event WHERE agent_id = :agent_id AND type = 'answer_accepted'),
       (SELECT count(*) FROM hold WHERE agent_id = :agent_id AND status = 'OPEN' AND type = 'bounty'),
       (SELECT count(*) FROM (
          SELECT counterparty_id FROM reputation_event WHERE agent_id = :agent_id
          UNION SELECT agent_id FROM reputation_event WHERE counterparty_id = :agent_id) others)
