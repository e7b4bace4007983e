// What waits for its vectors is read tenant by tenant, from both ends.
CREATE INDEX memory_waiting IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.index_state, n.ingested_at);
