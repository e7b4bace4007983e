// The retrieval graph: the names that passages go by, and who names them.
CREATE CONSTRAINT name_id IF NOT EXISTS FOR (n:Name) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT passage_graph_scope IF NOT EXISTS FOR (n:PassageGraph) REQUIRE n.scope IS UNIQUE;
CREATE INDEX name_scope_revision IF NOT EXISTS FOR (n:Name) ON (n.scope, n.revision);
CREATE INDEX passage_link_state IF NOT EXISTS FOR (n:Passage) ON (n.link_state, n.scope);
CREATE INDEX passage_linked_rev IF NOT EXISTS FOR (n:Passage) ON (n.scope, n.linked_rev);
MATCH (e:Episode) WHERE e.link_state IS NULL CALL (e) { SET e.link_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;
