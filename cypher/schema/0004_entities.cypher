// Entities, their names, and the ledger of their merges.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT alias_id IF NOT EXISTS FOR (n:Alias) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT merge_record_id IF NOT EXISTS FOR (n:MergeRecord) REQUIRE n.id IS UNIQUE;
CREATE INDEX entity_root IF NOT EXISTS FOR (n:Entity) ON (n.root);
CREATE INDEX entity_scope_id IF NOT EXISTS FOR (n:Entity) ON (n.scope, n.id);
CREATE INDEX entity_scope_key IF NOT EXISTS FOR (n:Entity) ON (n.scope, n.canonical_key);
CREATE INDEX merge_record_scope_id IF NOT EXISTS FOR (n:MergeRecord) ON (n.scope, n.id);
