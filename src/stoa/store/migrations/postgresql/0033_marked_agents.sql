-- Which agents are marked is looked up each minute.
CREATE INDEX agent_marked ON agent (id) WHERE looks_like IS NOT NULL;
