-- How the reports of one agent were decided.

CREATE INDEX report_decided ON report (agent_id, outcome) WHERE outcome IS NOT NULL;
