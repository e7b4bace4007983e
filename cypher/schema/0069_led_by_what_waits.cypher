// What waits is found by its state first, then by scope or tenant, so that those of which nothing
// waits cost nothing; the indexes that began with the scope or tenant go. Entities by when they were
// written, scopes whose names nobody compared, and documents that are not read yet.
CREATE INDEX passage_to_consolidate IF NOT EXISTS FOR (n:Passage) ON (n.consolidation_state, n.scope, n.ingested_at);
CREATE INDEX passage_to_ask_about IF NOT EXISTS FOR (n:Passage) ON (n.model_state, n.scope, n.model_due_at);
CREATE INDEX memory_to_index IF NOT EXISTS FOR (n:Memory) ON (n.index_state, n.tenant, n.ingested_at);
CREATE INDEX page_to_bring_up IF NOT EXISTS FOR (n:Page) ON (n.passage_state, n.tenant, n.touched_at);
CREATE INDEX cursor_thin IF NOT EXISTS FOR (n:ConsolidationCursor) ON (n.thin, n.scope);
CREATE INDEX entity_touched IF NOT EXISTS FOR (n:Entity) ON (n.touched_at, n.scope);
CREATE INDEX passage_graph_unbegun IF NOT EXISTS FOR (n:PassageGraph) ON (n.unbegun, n.scope);
CREATE INDEX document_status IF NOT EXISTS FOR (n:Document) ON (n.status);
DROP INDEX passage_consolidation IF EXISTS;
DROP INDEX passage_model IF EXISTS;
DROP INDEX memory_waiting IF EXISTS;
DROP INDEX page_waiting IF EXISTS;
MATCH (g:PassageGraph) WHERE g.alike_rev IS NULL SET g.unbegun = true;
