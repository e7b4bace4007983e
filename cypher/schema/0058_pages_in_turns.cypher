// Pages that wait are looked up by tenant, so that they are brought up in turns.
CREATE INDEX page_waiting IF NOT EXISTS FOR (n:Page) ON (n.tenant, n.passage_state, n.touched_at);
DROP INDEX page_passages IF EXISTS;
