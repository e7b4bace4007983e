// One label over the texts that are read and that claims rest on: episodes, and chunks of documents
// and pages. What is looked up for reading, belief and erasure is looked up by it.
MATCH (e:Episode) WHERE NOT e:Passage CALL (e) { SET e:Passage } IN TRANSACTIONS OF 10000 ROWS;
CREATE CONSTRAINT passage_id IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE;
CREATE INDEX passage_consolidation IF NOT EXISTS FOR (n:Passage) ON (n.scope, n.consolidation_state, n.ingested_at);
CREATE INDEX passage_model IF NOT EXISTS FOR (n:Passage) ON (n.scope, n.model_state, n.model_due_at);
CREATE INDEX passage_scope_author IF NOT EXISTS FOR (n:Passage) ON (n.scope, n.author);
DROP CONSTRAINT episode_id IF EXISTS;
DROP INDEX episode_consolidation IF EXISTS;
DROP INDEX episode_model IF EXISTS;
DROP INDEX episode_scope_author IF EXISTS;
